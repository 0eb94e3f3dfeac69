/**
 * What the chat function loads while it starts, observed in a process of its own: a cold start waits for each of these.
 *
 * A module that has come into a list is one that is imported at once. If only some requests need it, a lazy `import()`
 * keeps it out; if all do, it is to be added here, with what it costs (`npm run bench:start-up`) in the commit.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatEnvironment } from '#bench/harness/chat-bundle.ts';
import { bundleOptions } from '#lib/functions/function-bundle.ts';
import type { Loaded } from '../support/start-up-process.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'start-up-'));
afterAll(() => rmSync(directory, { recursive: true }));

const nowhere = 'http://127.0.0.1:9';

function start(file: string): Loaded {
  const output = execFileSync(process.execPath, [path.join(directory, 'start-up-process.mjs'), file], {
    encoding: 'utf8',
    env: chatEnvironment({ upstream: nowhere, aws: nowhere }),
  });
  return JSON.parse(output);
}

/** The modules in files of the bundle, those left out of which nothing remains. */
function modulesIn({ outputs }: Metafile, files: readonly string[]): string[] {
  return Object.entries(outputs)
    .filter(([output]) => files.includes(path.basename(output)))
    .flatMap(([, { inputs }]) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => input)
    .sort();
}

describe('the start of the chat function', () => {
  let metafile: Metafile;
  let bare: Loaded;
  let chat: Loaded;
  beforeAll(() => {
    const program = path.join(import.meta.dirname, '../support/start-up-process.ts');
    const outfile = path.join(directory, 'start-up-process.mjs');
    buildSync({ entryPoints: [program], outfile, target: 'node24' });
    const outdir = path.join(directory, 'chat');
    ({ metafile } = buildSync({ ...bundleOptions('inference/chat/chat.lambda.ts'), outdir, metafile: true }));
    writeFileSync(path.join(directory, 'bare.mjs'), '');
    bare = start(path.join(directory, 'bare.mjs'));
    chat = start(path.join(outdir, 'index.mjs'));
  });

  it("loads these of Node's own modules beyond those of a bare process", () => {
    // No `http2`, and no undici, which Node has inside: either takes as long as all of these. `lib/functions/node-http.mjs` says more.
    expect(chat.nodeModules.filter((name) => !bare.nodeModules.includes(name))).toEqual([
      '_http_agent',
      '_http_client',
      '_http_common',
      '_http_incoming',
      '_http_outgoing',
      '_http_server',
      'crypto',
      'http',
      'https',
      'net',
      'stream',
      'stream/promises',
      'string_decoder',
      'timers/promises',
      'tls',
      'zlib',
    ]);
  });

  it('loads no translation, no list of models and no AWS SDK', () => {
    const modules = modulesIn(metafile, chat.files);
    const lazy =
      /providers\/(anthropic|google|bedrock|translation\/(?!sink))|providers\/openai\/request|inference\/models|known-models/;
    const packages = modules.filter((module) => module.startsWith('node_modules/'));

    expect(modules).toContain('lambdas/inference/chat/handler.ts');
    expect(modules.filter((module) => lazy.test(module))).toEqual([]);
    // These read and write the numbers of a DynamoDB item.
    expect(packages).toEqual([
      'node_modules/@aws-sdk/util-dynamodb/dist-es/NumberValue.js',
      'node_modules/@aws-sdk/util-dynamodb/dist-es/convertToNative.js',
      'node_modules/@aws-sdk/util-dynamodb/dist-es/unmarshall.js',
    ]);
  });
});
