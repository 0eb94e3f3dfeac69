/**
 * Measures and prints the allocations of the bundled chat function. Run it in a separate process without JIT compilation
 * or garbage collection, so that the figures are reproducible. `CHAT_BUNDLE` is the folder of the bundle.
 */
import { join } from 'node:path';
import { GCProfiler } from 'node:v8';
import { loadDeployedChat } from './deployed.ts';
import {
  FakeClientResponse,
  type FakeIncomingMessage,
  fakeNetwork,
  type ProviderResponse,
} from './fake-network.ts';
import { closingChunks, completionBody, openingChunks, textChunks } from './stream-chunks.ts';

interface AllocatedBytes {
  heap: number;
  /** Buffers are outside the heap. */
  buffers: number;
}

export interface Allocations {
  chunk: AllocatedBytes;
  request: AllocatedBytes;
  /** Garbage collections during the measurement. They distort the figures. */
  collections: number;
}

/** Fills caches, type feedback and the capacity of arrays. */
const warmUpRequests = 200;
const chunks = 2000;
const requests = 200;

const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Tell me more. '.repeat(60) }] };
const allocated: AllocatedBytes = { heap: 0, buffers: 0 };

const completionResponse: ProviderResponse = {
  contentType: 'application/json',
  emitBody(message) {
    message.emitChunks([completionBody]);
    message.end();
  },
};
const measuredChunks = textChunks(chunks);
const streamResponse: ProviderResponse = {
  contentType: 'text/event-stream',
  emitBody(message: FakeIncomingMessage) {
    message.emitChunks([...openingChunks(), ...textChunks(warmUpRequests)]);
    const before = readMemory();
    message.emitChunks(measuredChunks);
    recordAllocations(before);
    message.emitChunks(closingChunks());
    message.end();
  },
};

let response = completionResponse;
// The function's log goes to standard output.
const { write } = process.stdout;
process.stdout.write = () => true;
fakeNetwork(() => response);
const chat = loadDeployedChat(join(process.env.CHAT_BUNDLE ?? '', 'index.mjs'));

const profiler = new GCProfiler();
profiler.start();
await sendRequests(warmUpRequests, body);
const before = readMemory();
await sendRequests(requests, body);
recordAllocations(before);
const request = average(requests);
response = streamResponse;
await sendRequests(2, { ...body, stream: true });
const chunk = average(chunks);
const { statistics } = profiler.stop();
const allocations: Allocations = { chunk, request, collections: statistics.length };
process.stdout.write = write;
process.stdout.write(JSON.stringify(allocations));

async function sendRequests(times: number, body: object): Promise<void> {
  for (let time = 0; time < times; time += 1) await chat({ body, responseStream: new FakeClientResponse() });
}

function readMemory(): AllocatedBytes {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers };
}

function recordAllocations(before: AllocatedBytes): void {
  const after = readMemory();
  allocated.heap = after.heap - before.heap;
  allocated.buffers = after.buffers - before.buffers;
}

function average(count: number): AllocatedBytes {
  return { heap: Math.round(allocated.heap / count), buffers: Math.round(allocated.buffers / count) };
}
