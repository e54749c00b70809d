"""What the plots share: colours, axes, labels, layout, and clean SVG."""
