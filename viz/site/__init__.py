"""The small models as a site of plain files, without a server."""
