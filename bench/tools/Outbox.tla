------------------------------- MODULE Outbox -------------------------------
\* The outbox with a lease: see outbox.storm. Loss and duplication are actions of the channels to and from the
\* consumer; Bounded keeps at most K messages in each channel.
EXTENDS Naturals, Sequences
CONSTANTS Relays, Nobody, K, Remembers
VARIABLES outbox, holder, asks, relay, consumer, from, applied, requests, replies, events, acks
vars == <<outbox, holder, asks, relay, consumer, from, applied, requests, replies, events, acks>>
Empty == [r \in Relays |-> <<>>]

Init == /\ outbox = "pending" /\ holder = Nobody /\ asks = Nobody
        /\ relay = [r \in Relays |-> "idle"]
        /\ consumer = "ready" /\ from = Nobody /\ applied = 0
        /\ requests = Empty /\ replies = Empty /\ events = Empty /\ acks = Empty

Put(channel, r, m) == [channel EXCEPT ![r] = Append(@, m)]
Rest(channel, r) == [channel EXCEPT ![r] = Tail(@)]
Starts(channel, r, m) == channel[r] # <<>> /\ Head(channel[r]) = m
Goes(r, s) == relay' = [relay EXCEPT ![r] = s]

TakesClaim(r) == /\ outbox \in {"pending", "sent"} /\ Starts(requests, r, "claim")
                 /\ asks' = r /\ requests' = Rest(requests, r)
                 /\ outbox' = CASE outbox = "sent" -> "over" [] holder = Nobody -> "hand" [] OTHER -> "refuse"
                 /\ UNCHANGED <<holder, relay, consumer, from, applied, replies, events, acks>>
TakesSent(r) == /\ outbox \in {"pending", "sent"} /\ Starts(requests, r, "sent")
                /\ outbox' = "sent" /\ requests' = Rest(requests, r)
                /\ UNCHANGED <<holder, asks, relay, consumer, from, applied, replies, events, acks>>
Expires == /\ outbox = "pending" /\ holder # Nobody /\ holder' = Nobody
           /\ UNCHANGED <<outbox, asks, relay, consumer, from, applied, requests, replies, events, acks>>
Answers == /\ outbox \in {"hand", "refuse", "over"}
           /\ replies' = Put(replies, asks, IF outbox = "hand" THEN "event" ELSE "no")
           /\ holder' = IF outbox = "hand" THEN asks ELSE holder
           /\ outbox' = IF outbox = "over" THEN "sent" ELSE "pending"
           /\ asks' = Nobody
           /\ UNCHANGED <<relay, consumer, from, applied, requests, events, acks>>

TimesOut(r) == /\ relay[r] \in {"idle", "wait"} /\ Goes(r, IF relay[r] = "idle" THEN "claim" ELSE "publish")
               /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, requests, replies, events, acks>>
Claims(r) == /\ relay[r] = "claim" /\ requests' = Put(requests, r, "claim") /\ Goes(r, "asked")
             /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, replies, events, acks>>
IsAnswered(r) == /\ relay[r] = "asked" /\ replies[r] # <<>>
                 /\ Goes(r, IF Head(replies[r]) = "event" THEN "publish" ELSE "idle")
                 /\ replies' = Rest(replies, r)
                 /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, requests, events, acks>>
Publishes(r) == /\ relay[r] = "publish" /\ Goes(r, "wait")
                /\ events' \in {Put(events, r, "event"), events}      \* it may be lost
                /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, requests, replies, acks>>
TakesAck(r) == /\ relay[r] \in {"idle", "asked", "wait"} /\ acks[r] # <<>>
               /\ relay' = IF relay[r] = "wait" THEN [relay EXCEPT ![r] = "mark"] ELSE relay
               /\ acks' \in {Rest(acks, r), acks}                     \* it may be delivered again
               /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, requests, replies, events>>
Marks(r) == /\ relay[r] = "mark" /\ requests' = Put(requests, r, "sent") /\ Goes(r, "idle")
            /\ UNCHANGED <<outbox, holder, asks, consumer, from, applied, replies, events, acks>>

Applies(r) == /\ consumer = "ready" /\ events[r] # <<>>
              /\ events' \in {Rest(events, r), events}                \* it may be delivered again
              /\ consumer' = "acknowledge" /\ from' = r
              /\ applied' = IF applied = 2 \/ (Remembers /\ applied = 1) THEN applied ELSE applied + 1
              /\ UNCHANGED <<outbox, holder, asks, relay, requests, replies, acks>>
Acknowledges == /\ consumer = "acknowledge" /\ consumer' = "ready" /\ from' = Nobody
                /\ acks' \in {Put(acks, from, "ack"), acks}           \* it may be lost
                /\ UNCHANGED <<outbox, holder, asks, relay, applied, requests, replies, events>>

Next == \/ Expires \/ Answers \/ Acknowledges
        \/ \E r \in Relays : \/ TakesClaim(r) \/ TakesSent(r) \/ TimesOut(r) \/ Claims(r) \/ IsAnswered(r)
                             \/ Publishes(r) \/ TakesAck(r) \/ Marks(r) \/ Applies(r)
Spec == Init /\ [][Next]_vars

Bounded == \A r \in Relays : /\ Len(requests[r]) <= K /\ Len(replies[r]) <= K
                             /\ Len(events[r]) <= K /\ Len(acks[r]) <= K
Once == applied < 2
=============================================================================
