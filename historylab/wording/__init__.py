"""Every sentence on screen and in reports."""
