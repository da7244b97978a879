"""What the desk does, one verb a file: no HTTP, no SQL, no clock but the desk's."""
