"""From what was said to what is remembered: extraction, consolidation, distillation."""
