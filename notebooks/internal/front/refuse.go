//go:build unix

package front

// refuse answers a cell with an error, without GoNB. Cells sent with it are given up
// as after any error.
func (f *front) refuse(m *message, text string) {
	told := map[string]any{"ename": "compile error", "evalue": text, "traceback": []string{red + text + plain}}
	f.publish(m, "status", map[string]any{"execution_state": "busy"})
	// GoNB does not count this cell: the next one has the same number.
	f.publish(m, "execute_input", map[string]any{"code": m.says().Code, "execution_count": f.count + 1})
	f.publish(m, "error", told)
	told["status"], told["execution_count"] = "error", f.count+1
	f.jupyter.shell.send(newMessage("execute_reply", m, told).frames(f.key))
	f.publish(m, "status", map[string]any{"execution_state": "idle"})
	if m.stopsOnError() {
		f.abort()
	}
}

// tellDeath tells who waits for the running cell that GoNB has ended by itself.
func (f *front) tellDeath() {
	if f.current == nil {
		return
	}
	text := "The kernel could not go on with this cell and has ended; what cells have declared is gone with it. The terminal of Jupyter says why."
	f.publish(f.current, "error", map[string]any{"ename": "kernel error", "evalue": text, "traceback": []string{red + text + plain}})
}
