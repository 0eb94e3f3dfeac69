/** Who may import whom, and who may look at the world outside: `docs/architecture.md` says why. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('{bin,cli,lib,lambdas,local}/**/*.ts', { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

/** What a file imports: files of the project from its root, packages by their names. */
function importsOf(file: string): string[] {
  const specifiers = [
    ...(sources.get(file) ?? '').matchAll(
      /(?:^(?:import|export|\}) .*\bfrom |^import |\bimport\()'([^'\n]+)'/gm,
    ),
  ];
  return specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier.replace(/^#/, ''),
  );
}

interface Layer {
  files: RegExp;
  mayImport: RegExp[];
}

const context = (name: string) => new RegExp(`^lambdas/${name}/`);
const node = /^node:/;
const awsSdk = /^@aws-sdk\//;
const awsTypes = /^aws-lambda$/;

/** The bounded contexts, each with those that it may import: every import points this way. */
const contexts: Record<string, string[]> = {
  platform: [],
  pricing: ['platform'],
  access: ['platform'],
  'request-log': ['platform', 'pricing', 'access'],
  inference: ['platform', 'pricing', 'access', 'request-log'],
  costs: ['platform', 'pricing', 'access', 'request-log'],
};

const layers: Record<string, Layer> = {
  ...Object.fromEntries(
    Object.entries(contexts).map(([name, below]) => [
      name,
      {
        files: context(name),
        mayImport: [context(name), ...below.map(context), node, awsSdk, awsTypes, /^(@middy\/core|zod)$/],
      },
    ]),
  ),
  'the stack': {
    files: /^lib\//,
    mayImport: [/^lib\//, /^lambdas\//, /^(aws-cdk-lib|constructs|cdk-nag|esbuild|zod)(\/|$)/, node],
  },
  'the local run': {
    files: /^local\//,
    mayImport: [
      /^local\//,
      /^lambdas\//,
      /^lib\/settings/,
      awsSdk,
      awsTypes,
      /^(fauxqs|@smithy\/[^/]+)$/,
      node,
    ],
  },
  'the command line': {
    files: /^cli\//,
    mayImport: [
      /^cli\//,
      /^lambdas\//,
      /^lib\/settings\//,
      /^local\/identities\.ts$/,
      awsSdk,
      /^(commander|zod)$/,
      node,
    ],
  },
  'the programs': {
    files: /^bin\//,
    mayImport: [
      /^(bin|cli|lib|lambdas)\//,
      awsSdk,
      /^(aws-cdk-lib|cdk-nag|zod|@pydantic\/genai-prices)$/,
      node,
    ],
  },
};

describe('the architecture', () => {
  it.each(Object.entries(layers))('lets %s import what is below and nothing else', (_, layer) => {
    const inLayer = files.filter((file) => layer.files.test(file));

    const broken = inLayer.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !layer.mayImport.some((allowed) => allowed.test(imported)))
        .map((imported) => `${file} imports ${imported}`),
    );

    expect(inLayer.length).toBeGreaterThan(0);
    expect(broken).toEqual([]);
  });

  it('has a layer for every file', () => {
    const homeless = files.filter((file) => !Object.values(layers).some((layer) => layer.files.test(file)));
    expect(homeless).toEqual([]);
  });

  it('lets nothing import the entry point of a function', () => {
    const entryPoint = /\.lambda\.ts$/;
    const broken = files
      .flatMap((file) => importsOf(file).map((imported) => `${file} imports ${imported}`))
      .filter((line) => entryPoint.test(line));
    expect(broken).toEqual([]);
  });

  it('lets no function load zod', () => {
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      importsOf(file).forEach(load);
    };
    const functions = files.filter((file) => file.endsWith('.lambda.ts'));
    functions.forEach(load);
    expect(functions).not.toEqual([]);
    expect([...loaded].filter((file) => sources.has(file) && importsOf(file).includes('zod'))).toEqual([]);
  });

  it('lets no protocol import another, nor load before it is used', () => {
    const protocols = /^lambdas\/inference\/providers\/(openai|anthropic|google|bedrock)\//;
    const folderOf = (file: string) => protocols.exec(file)?.[1];
    const crossings = files
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => folderOf(imported) !== undefined)
      .filter(([file, imported]) => folderOf(file) !== folderOf(imported))
      .map(([file, imported]) => `${file} imports ${imported}`);
    const registry = 'lambdas/inference/providers/registry.ts';
    expect(crossings).toEqual(
      ['openai', 'anthropic', 'google', 'bedrock'].map(
        (name) => `${registry} imports lambdas/inference/providers/${name}/protocol.ts`,
      ),
    );
    expect(sources.get(registry)?.match(/\bimport\(/g)).toHaveLength(3);
  });

  it('has no import that goes up more than one folder', () => {
    const broken = globSync('{bench,bin,cli,lib,lambdas,local,test}/**/*.ts', { cwd: root }).filter((file) =>
      /(from |import\()'\.\.\/\.\.\/.*\.ts'/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(broken).toEqual([]);
  });

  it('has no circle of imports', () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, trail: string[]) => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (done.has(file) || trail.includes(file)) return;
      for (const imported of importsOf(file).filter((name) => sources.has(name)))
        visit(imported, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it.each([
    [
      'the environment',
      /\bprocess\.env\b/,
      /^(lambdas\/platform\/(environment|aws\/access)\.ts|local\/|bin\/|cli\/)/,
    ],
    [
      'the clock',
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
      /^(lambdas\/.*\.lambda\.ts|lambdas\/access\/report-clients\.ts|local\/|bin\/|cli\/)/,
    ],
    ['a provider by name', /\bprovider(\.name)? === ['"`]/, /^lambdas\/inference\/providers\//],
    [
      'zod, which no function should have to load',
      /\bfrom 'zod'/,
      /^((bin|cli|lib|lambdas\/costs\/(repair|reprice))\/|lambdas\/costs\/rollups\/state-item\.ts$)/,
    ],
    [
      'the built-in fetch, which costs twice the processor time of node:http',
      /\bfetch\(/,
      /^(local|bin|cli)\//,
    ],
  ])('lets only its place ask for %s', (_, pattern, place) => {
    const broken = files.filter((file) => pattern.test(sources.get(file) ?? '') && !place.test(file));
    expect(broken).toEqual([]);
  });
});
