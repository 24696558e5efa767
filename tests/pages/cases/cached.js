loaded = true;
