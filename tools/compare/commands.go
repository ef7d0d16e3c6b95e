package main

func commands(args []string) error { return nil }
