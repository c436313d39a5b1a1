"""The lesson that goes on beside the pages: where it stands, what is asked, and its panel."""
