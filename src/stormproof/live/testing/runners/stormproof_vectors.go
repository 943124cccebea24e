// Package vectors runs the vectors of `stormproof testgen --vectors` against an implementation of a role.
// No dependencies. In a test, with this file in a folder of its own:
//
//	vectors.Run(t, "client.vectors.json", func() vectors.Implementation { return &Client{} })
package vectors

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const attempts = 100

// Sent is what an implementation sends: to a peer, a message as the protocol spells it.
type Sent struct{ Peer, Message string }

// Implementation of a role. Each method gives what is sent then; false: not taken, or no timer runs.
type Implementation interface {
	Start() []Sent
	Receive(peer, message string) ([]Sent, bool)
	Expire() ([]Sent, bool)
	Restart() []Sent // lose what is not durable, and start again; called only where the role may restart
}

type event [3]string // what is done, peer, message
type row [5]string   // from, what is done, peer, message, to
type stop [2]string  // a verdict, and why
type states map[string]bool
type data struct {
	Stormproof, Initial, Name string
	Version                   int
	Transitions               []row
	Steps                     []event
	Vectors                   []data // with a name and steps
}

// Run follows each vector of a file as a test, on what make gives; one that stays undecided is skipped.
func Run(t *testing.T, path string, make func() Implementation) {
	if named := os.Getenv("STORMPROOF_VECTORS"); named != "" {
		path = named
	}
	found := data{}
	text, _ := os.ReadFile(path) // of a file that cannot be read, nothing is no JSON
	if problem := json.Unmarshal(text, &found); problem != nil || found.Stormproof != "vectors" || found.Version != 1 {
		t.Fatalf("%s has no vectors of version 1 (%v)", path, problem)
	}
	for _, vector := range found.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			d, end := &driven{}, stop{"undecided"}
			for i := 0; i < attempts && end[0] == "undecided"; i++ {
				d = &driven{data: &found, implementation: make(), done: []done{}}
				d.states = d.targets([]row{{4: found.Initial}})
				end = d.follow(vector.Steps)
			}
			report(t, map[string]any{"vector": vector.Name, "verdict": end[0], "why": end[1], "steps": d.done})
			map[string]func(...any){"passed": t.Log, "failed": t.Error, "undecided": t.Skip}[end[0]](end[1])
		})
	}
}
func report(t *testing.T, line map[string]any) {
	if path := os.Getenv("STORMPROOF_REPORT"); path != "" {
		file, problem := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if problem != nil || json.NewEncoder(file).Encode(line) != nil || file.Close() != nil {
			t.Fatalf("%s cannot be written", path)
		}
	}
}
func (e event) String() string {
	form := map[string]string{"send": "sends %[2]s to %[1]s", "receive": "receives %[2]s from %[1]s",
		"timeout": "times out%s%s", "wait": "waits%s%s", "restart": "restarts%s%s"}[e[0]]
	return fmt.Sprintf(form, e[1], e[2])
}

type done map[string]any // a transition, and the handler that did it

// An implementation that runs, and where it may be by the protocol. Of a failure, what is done last is not allowed.
type driven struct {
	*data
	implementation Implementation
	states         states
	outbox         []row // a handler, then what it sends
	done           []done
	history        []string
}

func (d *driven) follow(steps []event) (end stop) {
	defer func() {
		raised := recover()
		if found, ok := raised.(stop); ok {
			end = found
		} else if raised != nil {
			end = stop{"failed", fmt.Sprintf("it panics: %v. Before: %s", raised, strings.Join(d.history, ", "))}
		}
	}()
	d.sends("start", d.implementation.Start())
	for _, e := range steps {
		d.step(e)
	}
	return stop{"passed"}
}
func (d *driven) sends(handler string, sent []Sent) {
	for _, s := range sent {
		d.outbox = append(d.outbox, row{handler, "send", s.Peer, s.Message})
	}
}
func (d *driven) step(e event) {
	own := e[0] == "send" || e[0] == "wait" // else something is done to it
	if e[0] != "restart" || len(d.outbox) > 0 {
		if found := d.next(); own && found == e {
			return
		} else if own || found[0] == "send" {
			d.otherwise(found, e)
		}
	}
	if len(d.rows(d.states, e[:]...)) == 0 {
		d.otherwise(event{"wait"}, e)
	}
	handler := strings.Replace(e[0], "timeout", "expire", 1)
	sent, taken := map[string]func() ([]Sent, bool){
		"receive": func() ([]Sent, bool) { return d.implementation.Receive(e[1], e[2]) },
		"expire":  d.implementation.Expire,
		"restart": func() ([]Sent, bool) { return d.implementation.Restart(), true },
	}[handler]()
	if !taken {
		d.move(d.where(func(s states) bool { return len(d.rows(s, e[:]...)) == 0 }), "does not take: "+e.String())
		d.otherwise(event{"wait"}, e)
	}
	d.take(handler, e)
	d.sends(handler, sent)
}
func (d *driven) otherwise(found, e event) {
	panic(stop{"undecided", fmt.Sprintf("in %d attempts it %s, not: %s", attempts, found, e)})
}

// What it sends next, or that it waits; both must be allowed.
func (d *driven) next() event {
	if len(d.outbox) > 0 {
		sent := d.outbox[0]
		d.outbox = d.outbox[1:]
		return d.take(sent[0], event{sent[1], sent[2], sent[3]})
	}
	d.move(d.where(func(s states) bool {
		waits := len(d.rows(s, "receive"))+len(d.rows(s, "timeout")) > 0
		return waits || len(d.rows(s, "send"))+len(d.rows(s, "silent")) == 0
	}), "waits")
	return event{"wait"}
}

// It does this, which must be allowed.
func (d *driven) take(handler string, e event) event {
	d.done = append(d.done, done{"transition": e, "handler": handler})
	d.move(d.targets(d.rows(d.states, e[:]...)), e.String())
	d.history = append(d.history, e.String())
	return e
}
func (d *driven) move(to states, what string) {
	if len(to) == 0 {
		allowed := []string{}
		for _, r := range d.rows(d.states) {
			allowed = append(allowed, event{r[1], r[2], r[3]}.String())
		}
		words, before := strings.Join(allowed, ", "), strings.Join(d.history, ", ")
		panic(stop{"failed", fmt.Sprintf("it %s; the protocol allows: %s. Before: %s", what, words, before)})
	}
	d.states = to
}

// Those that leave these states and begin so: what is done, peer, message.
func (d *driven) rows(from states, begin ...string) (found []row) {
	for _, r := range d.Transitions {
		if from[r[0]] && strings.Join(r[1:len(begin)+1], "\x00") == strings.Join(begin, "\x00") {
			found = append(found, r)
		}
	}
	return found
}

// Where they lead, and what is reached from there by actions that nobody sees.
func (d *driven) targets(rows []row) states {
	found := states{}
	for ; len(rows) > 0; rows = rows[1:] {
		if target := rows[0][4]; !found[target] {
			found[target] = true
			rows = append(rows, d.rows(states{target: true}, "silent")...)
		}
	}
	return found
}
func (d *driven) where(holds func(states) bool) states {
	found := states{}
	for state := range d.states {
		if holds(states{state: true}) {
			found[state] = true
		}
	}
	return found
}
