/**
 * The modules that the chat function loads during a cold start, observed in a separate process.
 *
 * A new module in a list is imported eagerly. If only some requests need it, use a lazy `import()`. If all need it, add it
 * here, and state its cost (`npm run bench:start-up`) in the commit.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatEnvironmentVariables } from '#bench/harness/chat-bundle.ts';
import { bundleOptions } from '#lib/functions/bundle.ts';
import type { LoadedModules } from '../support/chat/start-up-process.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'start-up-'));
afterAll(() => rmSync(directory, { recursive: true }));

const unusedEndpoint = 'http://127.0.0.1:9';

function start(file: string): LoadedModules {
  const output = execFileSync(process.execPath, [path.join(directory, 'start-up-process.mjs'), file], {
    encoding: 'utf8',
    env: chatEnvironmentVariables({ upstream: unusedEndpoint, aws: unusedEndpoint }),
  });
  return JSON.parse(output);
}

/** Returns the modules in files of the bundle, without those that were removed by tree shaking. */
function modulesIn({ outputs }: Metafile, files: readonly string[]): string[] {
  return Object.entries(outputs)
    .filter(([output]) => files.includes(path.basename(output)))
    .flatMap(([, { inputs }]) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => input)
    .sort();
}

describe('Cold start of the chat function', () => {
  let metafile: Metafile;
  let bare: LoadedModules;
  let chat: LoadedModules;
  beforeAll(() => {
    const program = path.join(import.meta.dirname, '../support/chat/start-up-process.ts');
    const outfile = path.join(directory, 'start-up-process.mjs');
    buildSync({ entryPoints: [program], outfile, target: 'node24' });
    const outdir = path.join(directory, 'chat');
    ({ metafile } = buildSync({ ...bundleOptions('inference/inference.lambda.ts'), outdir, metafile: true }));
    writeFileSync(path.join(directory, 'bare.mjs'), '');
    bare = start(path.join(directory, 'bare.mjs'));
    chat = start(path.join(outdir, 'index.mjs'));
  });

  it("loads only these of Node's modules beyond those of an empty program", () => {
    // Neither `http2` nor Node's internal undici: each takes as long as all of these. See `lib/functions/node-http.mjs`.
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

  it('loads no translation code, no list of models and no AWS SDK client', () => {
    const modules = modulesIn(metafile, chat.files);
    const lazyModules =
      /providers\/(anthropic|google|bedrock|translation)|providers\/openai\/request|inference\/(completion\/(?!facts|estimate)|chat\/(request|response)\/)|inference\/models|known-models/;
    const packages = modules.filter((module) => module.startsWith('node_modules/'));

    expect(modules).toContain('lambdas/inference/handler.ts');
    expect(modules.filter((module) => lazyModules.test(module))).toEqual([]);
    // These convert the numbers of a DynamoDB item.
    expect(packages).toEqual([
      'node_modules/@aws-sdk/util-dynamodb/dist-es/NumberValue.js',
      'node_modules/@aws-sdk/util-dynamodb/dist-es/convertToNative.js',
      'node_modules/@aws-sdk/util-dynamodb/dist-es/unmarshall.js',
    ]);
  });
});
