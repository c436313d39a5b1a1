"""The web server around the script: what it serves, to whom, and what it lets a browser do."""
