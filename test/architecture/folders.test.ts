/** Checks that the folders of the local run and of the stack form layers, which import only the layers below them. */
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFilesIn } from '#test/support/source/modules.ts';

/** From the lowest layer to the highest. A layer is a folder, with the file of its name if there is one, or a file. */
const layers: Record<string, string[]> = {
  lib: [
    'terminal-output',
    'cache-directory',
    'build-cache',
    'settings',
    'data',
    'functions',
    'api',
    'dashboard',
    'monitoring',
    'deployed-packages',
    'build',
    'gateway-stack',
  ],
  local: [
    // Foundations that every folder may use.
    'local-gateway-error',
    'messages',
    'start-progress',
    'untyped-json',
    'identities',
    'private-file',
    'service-event',
    'run-context',
    'listeners',
    // The resources of the template.
    'template',
    'permissions',
    'functions',
    'cognito',
    'aws',
    'monitoring',
    's3',
    'cloudfront',
    // Callers of functions.
    'http',
    'event-sources',
    'providers',
    'connection-file',
    'demo',
    'demo-data',
    'start-services',
    'local-gateway',
    'banner',
    'command-line',
    'main',
  ],
};

/** Imports of a layer above, with the reason. */
const exceptions: Record<string, string> = {
  'local/cognito/api/handle.ts imports local/aws/call.ts': 'the AWS endpoint passes its calls on',
  'local/cognito/local-user-pool.ts imports local/aws/call.ts': 'the AWS endpoint passes its calls on',
};

/** Returns the layer of a file below `root`: the name of its folder, or its own without the extension. */
const layerOf = (file: string) => file.split('/')[1]?.replace(/\.\w+$/, '') ?? '';

describe.each(Object.entries(layers))('The folders of %s', (root, order) => {
  const files = sourceFilesIn(root);

  it('have a layer each', () => {
    expect([...new Set(files.map(layerOf))].sort()).toEqual([...order].sort());
  });

  it('import only layers below them', () => {
    const violations = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith(`${root}/`))
        .filter((imported) => order.indexOf(layerOf(imported)) > order.indexOf(layerOf(file)))
        .map((imported) => `${file} imports ${imported}`),
    );
    const known = Object.keys(exceptions).filter((line) => line.startsWith(`${root}/`));
    expect(violations).toEqual(known);
  });
});
