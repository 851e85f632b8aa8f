"""What is found by index: papers by their words, ids and DOIs, and the words that count by report issue."""
