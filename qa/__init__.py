"""What is asked of Loupe by hand: is it true, is it safe, what does it cost. No part of the app."""
