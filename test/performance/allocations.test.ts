/**
 * The bytes that the deployed chat function allocates, with a fake network. Garbage collection delays requests. V8's JIT
 * compilers are off, which increases the figures but makes them reproducible.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildChatBundle, chatEnvironmentVariables } from '#bench/harness/chat-bundle.ts';
import type { Allocations } from '../support/chat/allocation-process.ts';

const flags = ['--jitless', '--min-semi-space-size=128', '--max-semi-space-size=128'];
const unusedEndpoint = 'http://127.0.0.1:9';
const bundle = buildChatBundle();
const directory = mkdtempSync(path.join(tmpdir(), 'allocations-'));
afterAll(() => {
  bundle.remove();
  rmSync(directory, { recursive: true });
});

let allocations: Allocations;
beforeAll(() => {
  const program = path.join(import.meta.dirname, '../support/chat/allocation-process.ts');
  const outfile = path.join(directory, 'allocation-process.mjs');
  buildSync({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
  });
  const env = {
    ...chatEnvironmentVariables({ upstream: unusedEndpoint, aws: unusedEndpoint }),
    CHAT_BUNDLE: bundle.directory,
  };
  const output = execFileSync(process.execPath, [...flags, outfile], { encoding: 'utf8', env });
  allocations = JSON.parse(output);
});

// Each bound has a margin of a quarter for new versions of Node. After a failure, find the allocation with
// `node --heap-prof`. To raise a bound, state the reason and the figure in the commit.

it('measures allocations without a garbage collection in between', () => {
  expect(allocations.collections).toBe(0);
});

it('allocates for a chunk of a stream only what scanning it needs', () => {
  // Measured: 1352, most of it for the text to match and for Node's event.
  expect(allocations.chunk.heap).toBeLessThanOrEqual(1700);
  expect(allocations.chunk.buffers).toBe(0);
});

it('allocates at most 163 kB for a request', () => {
  // Measured: 148,300 for a prompt of 1 kB and a completion of 2 kB, including the signed request for the log entry, 5,000 for
  // the line of the completed request, 8,000 to find out whether and why each choice ended, 8,000 to estimate the input and print
  // it before the provider is called, 3,600 to check the usage, and
  // 5,500 for the functions of its operation and three more fields of its entry, and
  // 1,000 for the id of the response and four fields about its error, 500 for two fields about limits, and
  // 2,900 for four fields about routes and for the steps of an attempt.
  expect(allocations.request.heap).toBeLessThanOrEqual(163_000);
  expect(allocations.request.buffers).toBeLessThanOrEqual(100);
});
