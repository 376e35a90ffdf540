"""Every sentence on screen and in reports, the palette, and escaping of untrusted text."""
