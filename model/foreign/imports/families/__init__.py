"""One module a family of foreign models; each has `FAMILY`, and being here is all it needs."""
