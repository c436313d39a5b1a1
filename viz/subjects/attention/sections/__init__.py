"""What stands below the selected head, each opened by itself."""
