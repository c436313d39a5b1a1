"""The web server around the script: its routes, its access rules and its security headers."""
