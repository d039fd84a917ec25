package bcpace

// AppendLatentValues is appendLatentValues.
func AppendLatentValues(dst []byte, v LatentValues) ([]byte, error) {
	return appendLatentValues(dst, v)
}

// DecodeLatentValues is decodeLatentValues.
func DecodeLatentValues(data []byte, m Model) (LatentValues, error) {
	return decodeLatentValues(data, m)
}

// KnownReason reports whether Verify knows a reason to stop.
func KnownReason(s StopReason) bool {
	_, ok := reasons[s]
	return ok
}
