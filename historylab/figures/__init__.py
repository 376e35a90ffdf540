"""Charts, strips and maps as Plotly figures, SVG, HTML and bytes. The only package that imports plotly."""
