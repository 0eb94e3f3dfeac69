/**
 * Checks the import rules and the access to environment, clock and network. `docs/architecture.md` explains the rules.
 */

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

const files = sourceFilesIn('bin', 'cli', 'lib', 'lambdas', 'local');
const product = new Set(files);

interface Layer {
  files: RegExp;
  mayImport: RegExp[];
}

const contextPattern = (name: string) => new RegExp(`^lambdas/${name}/`);
const node = /^node:/;
const awsSdk = /^@aws-sdk\//;
const contextAwsSdk = /^@aws-sdk\/(?!client-(cognito-identity-provider|sesv2)$)/;
const awsTypes = /^aws-lambda$/;

/** Bounded contexts with the contexts that each may import. */
const contexts: Record<string, string[]> = {
  platform: [],
  audit: ['platform'],
  pricing: ['platform', 'audit'],
  access: ['platform', 'audit'],
  routing: ['platform', 'audit', 'access'],
  limits: ['platform', 'pricing', 'audit', 'access'],
  'request-log': ['platform', 'pricing', 'audit', 'access', 'limits'],
  inference: ['platform', 'pricing', 'audit', 'access', 'routing', 'limits', 'request-log'],
  costs: ['platform', 'pricing', 'audit', 'access', 'limits', 'request-log'],
  reports: ['platform', 'pricing', 'audit', 'access', 'limits', 'request-log', 'inference', 'costs'],
  accounts: [
    'platform',
    'pricing',
    'audit',
    'access',
    'routing',
    'limits',
    'request-log',
    'inference',
    'costs',
    'reports',
  ],
  maintenance: ['platform', 'pricing', 'audit', 'access', 'limits', 'request-log', 'costs'],
  canary: ['platform', 'audit', 'access'],
};

/** Packages that only one context may import. */
const contextPackages: Record<string, RegExp[]> = {
  reports: [/^temporal-polyfill\/fns\//],
  accounts: [/^(openid-client|@aws-sdk\/client-(cognito-identity-provider|sesv2)|zod\/mini)$/],
};

const layers: Record<string, Layer> = {
  ...Object.fromEntries(
    Object.entries(contexts).map(([name, dependencies]) => [
      name,
      {
        files: contextPattern(name),
        mayImport: [
          contextPattern(name),
          ...dependencies.map(contextPattern),
          ...(contextPackages[name] ?? []),
          node,
          contextAwsSdk,
          awsTypes,
          /^(@middy\/core|zod)$/,
        ],
      },
    ]),
  ),
  stack: {
    files: /^lib\//,
    mayImport: [
      /^lib\//,
      /^lambdas\//,
      /^(aws-cdk-lib|constructs|cdk-nag|esbuild|vite|zod)(\/|$)/,
      /^@aws-sdk\/credential-provider-env$/,
      node,
    ],
  },
  'local gateway': {
    files: /^local\//,
    mayImport: [
      /^local\//,
      /^lambdas\//,
      /^lib\/(build-cache\.ts|(cache-directory|terminal-output)\.mjs|settings\/)/,
      awsSdk,
      awsTypes,
      /^(fauxqs|@smithy\/[^/]+)$/,
      // Only the local user pool, see below.
      /^(oidc-provider|openid-client|@simplewebauthn\/server|otplib|uqr|zod)$/,
      node,
    ],
  },
  'command line': {
    files: /^cli\//,
    mayImport: [
      /^cli\//,
      /^lambdas\//,
      /^lib\/(terminal-output\.mjs$|settings\/)/,
      /^local\/identities\.ts$/,
      awsSdk,
      /^(@smithy\/core\/config|commander|zod)$/,
      node,
    ],
  },
  'entry points': {
    files: /^bin\//,
    mayImport: [
      /^(bin|cli|lib|lambdas)\//,
      awsSdk,
      /^(aws-cdk-lib|cdk-nag|vite|zod|@pydantic\/genai-prices)$/,
      node,
    ],
  },
};

describe('Architecture', () => {
  it.each(Object.entries(layers))('%s imports only from the layers it may depend on', (_, layer) => {
    const inLayer = files.filter((file) => layer.files.test(file));

    const violations = inLayer.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !layer.mayImport.some((allowed) => allowed.test(imported)))
        .map((imported) => `${file} imports ${imported}`),
    );

    expect(inLayer.length).toBeGreaterThan(0);
    expect(violations).toEqual([]);
  });

  it('every file belongs to a layer', () => {
    const unassigned = files.filter((file) => !Object.values(layers).some((layer) => layer.files.test(file)));
    expect(unassigned).toEqual([]);
  });

  it('no file imports the entry point of a function', () => {
    const entryPoint = /\.lambda\.ts$/;
    const violations = files
      .flatMap((file) => importsOf(file).map((imported) => `${file} imports ${imported}`))
      .filter((line) => entryPoint.test(line));
    expect(violations).toEqual([]);
  });

  it('no function loads zod', () => {
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      importsOf(file)
        .filter((name) => product.has(name))
        .forEach(load);
    };
    const functions = files.filter((file) => file.endsWith('.lambda.ts'));
    functions.forEach(load);
    expect(functions).not.toEqual([]);
    expect([...loaded].filter((file) => importsOf(file).includes('zod'))).toEqual([]);
  });

  it('JavaScript loads no TypeScript, but for npm start, with the compile cache', () => {
    const imports = files
      .filter((file) => file.endsWith('.mjs'))
      .flatMap((file) => importsOf(file).map((imported) => `${file} imports ${imported}`));
    expect(imports).toContain('local/functions/process.mjs imports local/functions/lambda-runtime.mjs');
    expect(imports.filter((line) => line.endsWith('.ts'))).toEqual([
      'local/main.mjs imports local/command-line.ts',
    ]);
  });

  it('no protocol imports another, and all but the default one are loaded on demand', () => {
    const protocols = /^lambdas\/inference\/providers\/(openai|anthropic|google|bedrock|cohere)\//;
    const folderOf = (file: string) => protocols.exec(file)?.[1];
    const crossImports = files
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => folderOf(imported) !== undefined)
      .filter(([file, imported]) => folderOf(file) !== folderOf(imported))
      .map(([file, imported]) => `${file} imports ${imported}`);
    const tables = [
      {
        table: 'embeddings/operation.ts',
        modules: ['openai', 'google', 'bedrock', 'cohere'].map((name) => `${name}/embeddings.ts`),
      },
      {
        table: 'messages/count-tokens/endpoint.ts',
        modules: ['openai', 'anthropic', 'google', 'bedrock'].map((name) => `${name}/count-tokens.ts`),
      },
      {
        table: 'messages/operation.ts',
        modules: ['anthropic/native/protocol.ts', 'bedrock/native-endpoint.ts'],
      },
      {
        table: 'providers/protocols.ts',
        modules: [
          'openai/over-responses/choice.ts',
          ...['openai', 'anthropic', 'google', 'bedrock', 'openai/over-responses'].map(
            (name) => `${name}/protocol.ts`,
          ),
        ],
      },
      {
        table: 'responses/operation.ts',
        modules: ['openai/responses/protocol.ts', 'bedrock/native-endpoint.ts'],
      },
    ];
    expect(crossImports).toEqual(
      tables.flatMap(({ table, modules }) =>
        modules.map((module) => `lambdas/inference/${table} imports lambdas/inference/providers/${module}`),
      ),
    );
    const lazyImports = tables.map(
      ({ table }) => sourceModule(`lambdas/inference/${table}`).code.match(/\bimport\(/g)?.length,
    );
    expect(lazyImports).toEqual([4, 4, 4, 4, 4]);
  });

  it('callers and providers share only the neutral form of requests and results', () => {
    const inference = files.filter((file) => file.startsWith('lambdas/inference/'));
    const imports = (folder: string) =>
      inference
        .filter((file) => file.startsWith(`lambdas/inference/${folder}/`))
        .flatMap((file) => importsOf(file).map((imported) => `${file} imports ${imported}`));
    const ofChat = / imports lambdas\/inference\/chat\//;

    const byProviders = imports('providers').filter((line) => ofChat.test(line));
    // The format of the provider is that of the caller there: they share its bodies and the names of its parameters.
    const shared = / imports lambdas\/inference\/chat\/(body|parameters)\.ts$/;
    const ofOpenAi = (line: string) =>
      line.startsWith('lambdas/inference/providers/openai/') && shared.test(line);
    expect(byProviders.filter((line) => !ofOpenAi(line))).toEqual([]);
    const byNeutralForm = imports('completion').filter((line) => / imports lambdas\/inference\//.test(line));
    expect(byNeutralForm.length).toBeGreaterThan(5);
    expect(byNeutralForm.filter((line) => !line.includes(' imports lambdas/inference/completion/'))).toEqual(
      [],
    );
  });

  it('no relative import goes up more than one directory', () => {
    const violations = sourceFilesIn(
      'bench',
      'bin',
      'cli',
      'dashboard',
      'lib',
      'lambdas',
      'local',
      'test',
    ).filter((file) => /(from |import\()'\.\.\/\.\.\/.*\.ts'/.test(sourceModule(file).code));
    expect(violations).toEqual([]);
  });

  it('imports are relative within a context, unless they go up more than one directory', () => {
    const contextOf = (file: string) => /^((?:dashboard|lambdas)\/[^/]+|[^/]+)\//.exec(file)?.[1];
    const violations = sourceFilesIn('bench', 'bin', 'cli', 'dashboard', 'lib', 'lambdas', 'local').flatMap(
      (file) => {
        const specifiers = sourceModule(file).code.matchAll(/\b(?:from |import |import\()'([#.][^'\n]+)'/g);
        return [...specifiers].flatMap(([, specifier = '']) => {
          const folder = path.dirname(file);
          const imported = specifier.startsWith('#') ? specifier.slice(1) : path.join(folder, specifier);
          const isNear = !path.relative(folder, imported).startsWith('../../');
          const isRelative = isNear && contextOf(imported) === contextOf(file);
          return isRelative === specifier.startsWith('.') ? [] : [`${file} imports ${specifier}`];
        });
      },
    );
    expect(violations).toEqual([]);
  });

  it.each([
    [
      'the environment',
      /\bprocess\.env\b/,
      /^(lambdas\/platform\/(environment|telemetry\/log|aws\/access)\.ts|lib\/cache-directory\.mjs$|lib\/dashboard\/(page|vite)-build\.ts$|local\/|bin\/|cli\/)/,
    ],
    [
      'the clock',
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
      /^(lambdas\/.*\.lambda\.ts|lib\/cache-directory\.mjs$|local\/|bin\/|cli\/)/,
    ],
    [
      'a unit of time as a number',
      /(?<!Bytes = )\b(86_?400(_?000)?|3_?600_?000|300_?000|60_000)\b/,
      /^lambdas\/(platform\/duration|pricing\/table\/context-window-data)\.ts$/,
    ],
    [
      'the terminal, whose text they escape, or write to the log of a function',
      /\bconsole\.(log|info|warn|error|debug)\(|\bprocess\.std(out|err)\.write\b/,
      /^(lib\/terminal-output\.mjs|lambdas\/platform\/telemetry\/log\.ts|local\/functions\/(json-console|process)\.mjs)$/,
    ],
    ['a provider by name', /\bprovider(\.name)? === ['"`]/, /^lambdas\/inference\/providers\//],
    [
      'zod, which functions must not load',
      /\bfrom 'zod'/,
      /^((bin|cli|lib|local|lambdas\/costs\/(repair|reprice))\/|lambdas\/costs\/rollups\/state-item\.ts$)/,
    ],
    [
      'the built-in fetch, which takes twice the CPU time of node:http',
      /\bfetch\(/,
      /^(local|bin|cli|lambdas\/accounts\/test-request|lambdas\/canary)\//,
    ],
  ])('only the designated files use %s', (_, pattern, allowedFiles) => {
    const violations = files.filter(
      (file) => pattern.test(sourceModule(file).code) && !allowedFiles.test(file),
    );
    expect(violations).toEqual([]);
  });
});
