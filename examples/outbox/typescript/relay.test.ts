// node --test, with Node 22.18 or later. RELAY=NoRetry and so on tests a broken one.
import * as broken from "./broken.ts";
import { Relay } from "./relay.ts";
import { testVectors } from "./stormproof_vectors.mjs";

const variants: Record<string, new () => Relay> = { Relay, ...broken };
const Tested = variants[process.env.RELAY ?? "Relay"];
testVectors(() => new Tested(), process.env.STORMPROOF_VECTORS ?? "relay.vectors.json");
