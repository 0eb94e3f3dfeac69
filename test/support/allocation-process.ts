/**
 * What the bundled chat function allocates, in a process of its own that V8 neither compiles for nor collects garbage in:
 * so the same work takes the same bytes each time. `CHAT_BUNDLE` is the folder of the bundle. Prints the figures.
 */
import { join } from 'node:path';
import { GCProfiler } from 'node:v8';
import { loadDeployedChat } from './deployed-chat.ts';
import {
  FakeClientResponse,
  type FakeIncomingMessage,
  fakeNetwork,
  type ProviderResponse,
} from './fake-network.ts';
import { closingChunks, completionBody, openingChunks, textChunks } from './stream-chunks.ts';

/** Bytes. */
export interface Allocated {
  heap: number;
  /** Of buffers, whose bytes are outside the heap. */
  buffers: number;
}

export interface Allocations {
  chunk: Allocated;
  request: Allocated;
  /** How often garbage was collected while this was counted: what it freed is missing. */
  collections: number;
}

/** So that what is made once is there: caches, feedback on types, room in lists. */
const warmUps = 200;
const chunks = 2000;
const requests = 200;

const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Tell me more. '.repeat(60) }] };
const allocated: Allocated = { heap: 0, buffers: 0 };

const plain: ProviderResponse = {
  contentType: 'application/json',
  play(message) {
    message.emitChunks([completionBody]);
    message.end();
  },
};
const pieces = textChunks(chunks);
const stream: ProviderResponse = {
  contentType: 'text/event-stream',
  play(message: FakeIncomingMessage) {
    message.emitChunks([...openingChunks(), ...textChunks(warmUps)]);
    const before = readMemory();
    message.emitChunks(pieces);
    note(before);
    message.emitChunks(closingChunks());
    message.end();
  },
};

let answer = plain;
console.log = () => {};
fakeNetwork(() => answer);
const chat = loadDeployedChat(join(process.env.CHAT_BUNDLE ?? '', 'index.mjs'));

const profiler = new GCProfiler();
profiler.start();
await ask(warmUps, body);
const before = readMemory();
await ask(requests, body);
note(before);
const request = perPiece(requests);
answer = stream;
await ask(2, { ...body, stream: true });
const chunk = perPiece(chunks);
const { statistics } = profiler.stop();
const allocations: Allocations = { chunk, request, collections: statistics.length };
process.stdout.write(JSON.stringify(allocations));

async function ask(times: number, body: object): Promise<void> {
  for (let time = 0; time < times; time += 1) await chat({ body, caller: new FakeClientResponse() });
}

function readMemory(): Allocated {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}

function note(before: Allocated): void {
  const after = readMemory();
  allocated.heap = after.heap - before.heap;
  allocated.buffers = after.buffers - before.buffers;
}

function perPiece(count: number): Allocated {
  return { heap: Math.round(allocated.heap / count), buffers: Math.round(allocated.buffers / count) };
}
