package jetstream

// Server says how to reach a server. The zero values of all fields but Address mean that the
// server does not ask for them.
type Server struct {
	// Address is the folder of an embedded engine, its file connect.json or a copy of that
	// file; or the URL of a server, such as nats://host:4222, or several with commas.
	Address string
	// Credentials is a .creds file of NATS, with a JWT and the seed of its key.
	Credentials string
	// TokenFile is a file that holds a token.
	TokenFile string
	// CA is a file with the certificates of who signs the server's, in PEM.
	CA string
	// Cert and Key are files with the certificate that a client shows, in PEM.
	Cert, Key string
}
