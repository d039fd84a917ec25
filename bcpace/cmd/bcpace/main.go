package main

import "bayescpace/bcpace/cmd"

func main() { cmd.Main() }
