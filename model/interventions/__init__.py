"""Interventions: a user's changes to a running model."""
