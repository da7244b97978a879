"""Undo Desk: drafted agent actions are scheduled, shown, and run unless somebody cancels."""
