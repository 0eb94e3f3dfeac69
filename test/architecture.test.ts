/** Who may import whom, and who may look at the world outside: `docs/architecture.md` says why. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('{bin,lib,lambdas,local}/**/*.ts', { cwd: root }).sort();
const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));

/** What a file imports: files of the project from its root, packages by their names. */
function importsOf(file: string): string[] {
  const specifiers = [
    ...(sources.get(file) ?? '').matchAll(
      /(?:^(?:import|export|\}) .*\bfrom |^import |\bimport\()'([^'\n]+)'/gm,
    ),
  ];
  return specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier,
  );
}

interface Layer {
  files: RegExp;
  mayImport: RegExp[];
}

const domain = /^lambdas\/shared\/domain\//;
const aws = /^(@aws-sdk\/|aws-lambda$)/;
const awsCalls = /^lambdas\/shared\/aws\//;
const node = /^node:/;

const layers: Record<string, Layer> = {
  domain: { files: domain, mayImport: [domain, /^node:crypto$/] },
  pricing: {
    files: /^lambdas\/shared\/pricing\//,
    mayImport: [domain, /^lambdas\/shared\/pricing\//],
  },
  providers: {
    files: /^lambdas\/shared\/providers\//,
    mayImport: [domain, awsCalls, /^lambdas\/shared\/providers\//, node],
  },
  'calls of AWS': { files: awsCalls, mayImport: [domain, awsCalls, node] },
  stores: {
    files: /^lambdas\/shared\/stores\//,
    mayImport: [domain, awsCalls, /^lambdas\/shared\/stores\//, aws],
  },
  http: {
    files: /^lambdas\/shared\/http\//,
    mayImport: [domain, awsCalls, /^lambdas\/shared\/http\//, /^@middy\/core$/, /^aws-lambda$/, node],
  },
  'what only entry files call': {
    files: /^lambdas\/shared\/[^/]+\.ts$/,
    mayImport: [/^lambdas\/shared\//, aws],
  },
  'the handlers': {
    files: /^lambdas\/(?!shared\/)[^/]+\/(?!index\.ts)[^/]+\.ts$/,
    mayImport: [/^lambdas\//, /^aws-lambda$/, node],
  },
  'the entries': { files: /^lambdas\/[^/]+\/index\.ts$/, mayImport: [/^lambdas\//, aws] },
  'the stack': {
    files: /^lib\//,
    mayImport: [/^lib\//, domain, /^(aws-cdk-lib|constructs|cdk-nag|esbuild)(\/|$)/, node],
  },
  'the local run': {
    files: /^local\//,
    mayImport: [
      /^local\//,
      domain,
      /^lambdas\/shared\/(stores|providers\/catalog)/,
      aws,
      /^(fauxqs|@smithy\/[^/]+)$/,
      node,
    ],
  },
  'the commands': {
    files: /^bin\//,
    mayImport: [
      /^bin\//,
      /^lib\//,
      /^lambdas\/shared\//,
      /^local\/identities\.ts$/,
      aws,
      /^(aws-cdk-lib|cdk-nag|commander|@pydantic\/genai-prices)$/,
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

  it('lets no function import another', () => {
    const folderOf = (file: string) => file.split('/')[1];
    const broken = files
      .filter((file) => file.startsWith('lambdas/') && !file.startsWith('lambdas/shared/'))
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => imported.startsWith('lambdas/') && !imported.startsWith('lambdas/shared/'))
      .filter(([file, imported]) => folderOf(file) !== folderOf(imported));
    expect(broken).toEqual([]);
  });

  it('lets no protocol import another, nor load before it is used', () => {
    const own = /^lambdas\/shared\/providers\/(openai|anthropic|google|bedrock)\//;
    const folderOf = (file: string) => own.exec(file)?.[1];
    const broken = files
      .flatMap((file) => importsOf(file).map((imported) => [file, imported] as const))
      .filter(([, imported]) => folderOf(imported) !== undefined)
      .filter(([file, imported]) => folderOf(file) !== folderOf(imported))
      .map(([file, imported]) => `${file} imports ${imported}`);
    expect(broken).toEqual([
      'lambdas/inference/providers/registry.ts imports lambdas/inference/providers/openai/protocol.ts',
      ...['anthropic', 'google', 'bedrock'].map(
        (name) =>
          `lambdas/inference/providers/registry.ts imports lambdas/shared/providers/${name}/${name}-protocol.ts`,
      ),
    ]);
    expect(sources.get('lambdas/inference/providers/registry.ts')?.match(/\bimport\(/g)).toHaveLength(3);
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
    ['the environment', /\bprocess\.env\b/, /^(lambdas\/shared\/environment\.ts|local\/|bin\/)/],
    [
      'the clock',
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
      /^(lambdas\/[^/]+\/index\.ts|lambdas\/shared\/report-clients\.ts|local\/|bin\/)/,
    ],
    ['a provider by name', /\bprovider(\.name)? === ['"`]/, /^lambdas\/shared\/providers\//],
    ['the built-in fetch, which costs twice the processor time of node:http', /\bfetch\(/, /^(local|bin)\//],
  ])('lets only its place ask for %s', (_, pattern, place) => {
    const broken = files.filter((file) => pattern.test(sources.get(file) ?? '') && !place.test(file));
    expect(broken).toEqual([]);
  });
});
