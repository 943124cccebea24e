/** A peer, and a message to it. */
export type Sent = [string, string];

/** Publishes the events of an outbox, each until the consumer acknowledges it. */
export class Relay {
  /** The event that was published last and is not acknowledged. */
  protected waiting: number | null = null;
  protected polling = false;

  start(): Sent[] {
    return [];
  }

  /** Nothing is on a disk: the outbox says what is still to be sent. */
  restart(): Sent[] {
    this.waiting = null;
    this.polling = false;
    return [];
  }

  receive(peer: string, message: string): Sent[] {
    const [name, id] = [message.split("(")[0], Number.parseInt(message.split("(")[1] ?? "0", 10)];
    if (name === "ack") return this.acknowledged(id);
    if (!this.polling) return []; // a late answer
    this.polling = false;
    return name === "event" ? this.found(id) : [];
  }

  expire(): Sent[] | null {
    if (this.waiting !== null) return this.again(this.waiting);
    if (this.polling) return null;
    this.polling = true;
    return [["Database", "poll"]];
  }

  protected found(id: number): Sent[] {
    this.waiting = id;
    return [["Consumer", `publish(${id})`]];
  }

  protected again(id: number): Sent[] {
    return [["Consumer", `publish(${id})`]];
  }

  protected acknowledged(id: number): Sent[] {
    if (id !== this.waiting) return [];
    this.waiting = null;
    return [["Database", `sent(${id})`]];
  }
}
