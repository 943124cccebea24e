/* The outbox with a lease: see outbox.storm. Loss and duplication are part of the model: a lossy send may put
   nothing into the channel, and `c?<m>` receives a message that also stays. K messages per channel. */
#ifndef K
#define K 2
#endif
#define RELAYS 2
#define NOBODY RELAYS

mtype = { claim, event, no, sent, ack };
chan to_outbox[RELAYS] = [K] of { mtype };
chan to_relay[RELAYS] = [K] of { mtype };
chan to_consumer[RELAYS] = [K] of { mtype };
chan acks[RELAYS] = [K] of { mtype };
byte applied = 0;
bool done = false;

inline lossy(c, m) { if :: c!m :: skip fi }
inline again(c, m) { if :: c?m :: c?<m> fi }

active proctype Outbox() {
  byte holder = NOBODY, asks = NOBODY, j;
end:
  do
  :: to_outbox[0]?claim -> asks = 0; goto answer
  :: to_outbox[1]?claim -> asks = 1; goto answer
  :: to_outbox[0]?sent -> done = true
  :: to_outbox[1]?sent -> done = true
  :: !done && holder != NOBODY -> holder = NOBODY          /* the lease expires */
  od;
answer:
  if
  :: !done && holder == NOBODY -> to_relay[asks]!event; holder = asks
  :: done || holder != NOBODY -> to_relay[asks]!no
  fi;
  asks = NOBODY;
  goto end
}

active [RELAYS] proctype Relay() {
  byte i = _pid - 1;
idle:
  if
  :: true -> to_outbox[i]!claim                            /* the timer */
  :: again(acks[i], ack) -> goto idle
  fi;
asked:
  do
  :: to_relay[i]?event -> break
  :: to_relay[i]?no -> goto idle
  :: again(acks[i], ack)
  od;
publish:
  lossy(to_consumer[i], event);
  if
  :: again(acks[i], ack) -> to_outbox[i]!sent; goto idle
  :: true -> goto publish                                  /* the timer */
  fi
}

active proctype Consumer() {
  byte j;
end:
  do
  :: again(to_consumer[0], event) -> j = 0; goto apply
  :: again(to_consumer[1], event) -> j = 1; goto apply
  od;
apply:
#ifdef REMEMBERS
  applied = 1;
#else
  applied = (applied < 2 -> applied + 1 : 2);
#endif
  lossy(acks[j], ack);
  goto end
}

ltl once { [] (applied < 2) }
