"""Makes the files of a release: the locked requirements, and the bill of materials."""
