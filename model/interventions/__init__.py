"""Interventions: what a person changes in a running model."""
