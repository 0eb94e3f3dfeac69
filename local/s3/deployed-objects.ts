/**
 * The objects that the template's `BucketDeployment`s upload, from the asset directories of the assembly. The function
 * that uploads them on AWS is not run; it calls `aws s3 sync`:
 * https://github.com/aws/aws-cdk/tree/main/packages/%40aws-cdk/custom-resource-handlers/lib/aws-s3-deployment
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { matchesPattern } from '../permissions/policies.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { resourcesOfType } from '../template/template.ts';
import { asArray, asObject, asString, type JsonObject, optionalString } from '../untyped-json.ts';
import { contentTypeOf } from './content-types.ts';

export interface StoredObject {
  body: Buffer;
  contentType: string;
  cacheControl: string | undefined;
  /** MD5 of the body, in quotes. */
  etag: string;
  lastModified: Date;
}

/** Objects by key. */
export type BucketContent = ReadonlyMap<string, StoredObject>;

const supportedProperties = [
  'DestinationBucketArn',
  'DestinationBucketKeyPrefix',
  'DestinationBucketName',
  'Exclude',
  'Include',
  'OutputObjectKeys',
  'Prune',
  'ServiceToken',
  'SourceBucketNames',
  'SourceObjectKeys',
  'SystemMetadata',
  'WaitForDistributionInvalidation',
];

/** Returns the content by bucket name. All objects have the same modification time, `uploadedAt`. */
export function readDeployedObjects(
  stack: Pick<LocalStack, 'template' | 'resolve'>,
  uploadedAt: Date,
): Map<string, BucketContent> {
  const buckets = new Map<string, Map<string, StoredObject>>();
  for (const { logicalId, properties } of resourcesOfType(stack.template, 'Custom::CDKBucketDeployment')) {
    const deployment = asObject(stack.resolve(properties), logicalId);
    assertSupportedProperties(deployment, supportedProperties, logicalId);
    const bucketName = asString(deployment.DestinationBucketName, `${logicalId}.DestinationBucketName`);
    const bucket = buckets.get(bucketName) ?? new Map<string, StoredObject>();
    buckets.set(bucketName, bucket);
    deploy(deployment, { logicalId, bucket, uploadedAt, assets: stack.template.assetDirectories });
  }
  return buckets;
}

function deploy(
  deployment: JsonObject,
  target: {
    logicalId: string;
    bucket: Map<string, StoredObject>;
    uploadedAt: Date;
    assets: ReadonlyMap<string, string>;
  },
): void {
  const { logicalId, bucket, uploadedAt } = target;
  const prefix = readKeyPrefix(deployment, logicalId);
  const isSelected = createFilter(deployment, logicalId);
  const files = listFiles(deployment, target);
  if (deployment.Prune !== false) {
    for (const key of [...bucket.keys()].filter((candidate) => candidate.startsWith(prefix))) {
      const path = key.slice(prefix.length);
      if (isSelected(path) && !files.has(path)) bucket.delete(key);
    }
  }
  const metadata = readMetadata(deployment, logicalId);
  for (const [path, file] of files) {
    if (!isSelected(path)) continue;
    const body = readFileSync(file);
    bucket.set(`${prefix}${path}`, {
      body,
      contentType: metadata.contentType ?? contentTypeOf(path),
      cacheControl: metadata.cacheControl,
      etag: `"${createHash('md5').update(body).digest('hex')}"`,
      lastModified: uploadedAt,
    });
  }
}

function readKeyPrefix({ DestinationBucketKeyPrefix }: JsonObject, logicalId: string): string {
  const prefix = optionalString(DestinationBucketKeyPrefix, `${logicalId}.DestinationBucketKeyPrefix`) ?? '';
  if (prefix === '' || prefix === '/') return '';
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** All files are selected by default. The last matching filter decides, and includes come after excludes. */
function createFilter({ Exclude, Include }: JsonObject, logicalId: string): (path: string) => boolean {
  const readPatterns = (value: unknown) =>
    asArray(value ?? [], logicalId).map((pattern) => asString(pattern, `${logicalId}: Exclude, Include`));
  const [excluded, included] = [readPatterns(Exclude), readPatterns(Include)];
  if ([...excluded, ...included].some((pattern) => pattern.includes('['))) {
    throw new LocalGatewayError(`${logicalId}: the local run supports only * and ? in Exclude and Include`);
  }
  return (path) =>
    included.some((pattern) => matchesPattern(pattern, path)) ||
    !excluded.some((pattern) => matchesPattern(pattern, path));
}

/** Returns the files of all sources by their path with slashes. A later source replaces files of an earlier one. */
function listFiles(
  { SourceObjectKeys }: JsonObject,
  { logicalId, assets }: { logicalId: string; assets: ReadonlyMap<string, string> },
): Map<string, string> {
  const files = new Map<string, string>();
  for (const key of asArray(SourceObjectKeys, `${logicalId}.SourceObjectKeys`).map(String)) {
    const directory = assets.get(key);
    if (directory === undefined || !statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
      throw new LocalGatewayError(`The source ${key} of ${logicalId} is not a directory in the assembly`);
    }
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      const file = join(entry.parentPath, entry.name);
      files.set(relative(directory, file).replaceAll(sep, '/'), file);
    }
  }
  return files;
}

function readMetadata({ SystemMetadata }: JsonObject, logicalId: string) {
  const where = `${logicalId}.SystemMetadata`;
  const metadata = asObject(SystemMetadata ?? {}, where);
  assertSupportedProperties(metadata, ['cache-control', 'content-type'], where);
  return {
    cacheControl: optionalString(metadata['cache-control'], where),
    contentType: optionalString(metadata['content-type'], where),
  };
}
