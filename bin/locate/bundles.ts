/** Finds the bundle of a function in a cloud assembly. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AdminError } from '#cli/errors.ts';
import { hasSourceMaps } from '#lib/functions/source-maps.ts';

export interface FunctionBundle {
  stackName: string;
  /** The function's logical id in the template. */
  logicalId: string;
  /** The logical id without its hash, such as `ChatFunction`. */
  name: string;
  assetHash: string;
}

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z
        .object({ Code: z.object({ S3Key: z.string() }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

const templateSuffix = '.template.json';

/** The bundles of the assembly's templates, as they were last synthesized. */
export function readBundles(assemblyDirectory: string): FunctionBundle[] {
  return globSync(`*${templateSuffix}`, { cwd: assemblyDirectory }).flatMap((file) => {
    const stackName = file.slice(0, -templateSuffix.length);
    const { Resources } = template.parse(JSON.parse(readFileSync(join(assemblyDirectory, file), 'utf8')));
    return Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) => {
      const assetHash = /^([0-9a-f]+)\.zip$/.exec(Properties?.Code.S3Key ?? '')?.[1];
      if (Type !== 'AWS::Lambda::Function' || assetHash === undefined) return [];
      // Functions of CDK have none.
      if (!hasSourceMaps({ assemblyDirectory, assetHash })) return [];
      return [{ stackName, logicalId, name: logicalId.replace(/[0-9A-F]{8}$/, ''), assetHash }];
    });
  });
}

/** CloudFormation shortens logical ids in the names of functions. */
const logicalIdLength = 24;

/** `text` is a name with or without `Function` at its end, or the name of the deployed function. */
export function selectBundle(bundles: readonly FunctionBundle[], text: string): FunctionBundle {
  const wanted = text.toLowerCase();
  const found = bundles.find(({ logicalId, name }) => {
    const names = [name, name.replace(/Function$/, '')].map((known) => known.toLowerCase());
    return names.includes(wanted) || text.includes(logicalId.slice(0, logicalIdLength));
  });
  if (found !== undefined) return found;
  const known = bundles.map(({ name }) => name.replace(/(?<=.)Function$/, '')).sort();
  throw new AdminError(`There is no function ${text}: the functions are ${known.join(', ')}`);
}
