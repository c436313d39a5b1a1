"""What a release is made with: the locked requirements, and the bill of all that it consists of."""
