// Instrumentation: what the operator sees of the inside. A log of constant events with fields, counters, and the clock
// that tests replace. Any module may import it; it imports nothing of ours but Runtime.
//
// An event's text is constant and its variable parts are fields, so that a log can be searched and counted. Secrets are
// never fields: nothing here filters, so whoever logs decides. Field values are bytes; what isn't printable is escaped
// when the line is written, so that a key with a line feed can't forge a line.
