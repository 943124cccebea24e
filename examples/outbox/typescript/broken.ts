import { Relay, type Sent } from "./relay.ts";

/** Takes the acknowledgement of any event for that of its own. */
export class ForgetsIds extends Relay {
  protected override acknowledged(id: number): Sent[] {
    return super.acknowledged(this.waiting ?? id);
  }
}

/** Marks an event before it is acknowledged. */
export class AcknowledgesFirst extends Relay {
  protected override found(id: number): Sent[] {
    return [["Database", `sent(${id})`], ...super.found(id)];
  }
}

/** Never publishes an event again. */
export class NoRetry extends Relay {
  protected override again(): Sent[] {
    return [];
  }
}

/** Publishes an event again under another number, so that the consumer does not recognise it. */
export class RetriesWithNewId extends Relay {
  protected override again(id: number): Sent[] {
    this.waiting = id + 1;
    return super.again(this.waiting);
  }
}
