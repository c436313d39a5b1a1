"""What every head does over a corpus: tables of many sentences, made once, then asked."""
