import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { readDeployedObjects } from '#local/s3/deployed-objects.ts';
import { type DashboardOptions, dashboardResources, pageFiles, writePage } from '../dashboard-fixture.ts';
import { createStackFixture } from '../stack-fixture.ts';

const page = writePage();
const uploadedAt = new Date('2026-11-23T12:00:00Z');

afterAll(() => rmSync(page, { recursive: true }));

const contentWith = (options: DashboardOptions) => {
  const stack = createStackFixture(dashboardResources(options), new Map([['page.zip', page]]));
  return readDeployedObjects(stack, uploadedAt).get('fixture-bucket') ?? new Map();
};

const keysWith = (options: DashboardOptions) => [...contentWith(options).keys()].sort();

describe('readDeployedObjects', () => {
  it('reads the files of all deployments with their metadata', () => {
    const content = contentWith({});
    const described = [...content].map(([key, { contentType, cacheControl }]) => [
      key,
      contentType,
      cacheControl,
    ]);
    const immutable = 'public, max-age=31536000, immutable';

    expect(described.sort()).toEqual([
      ['assets/app-1.js', 'text/javascript', immutable],
      ['assets/inter-3.woff2', 'binary/octet-stream', immutable],
      ['assets/small-2.js', 'text/javascript', immutable],
      ['index.html', 'text/html', 'no-cache'],
    ]);
    expect(content.get('assets/small-2.js')).toMatchObject({
      body: Buffer.from(pageFiles['assets/small-2.js'] ?? ''),
      etag: '"e2ebd7ddedcadeeadbf819c35985c768"',
      lastModified: uploadedAt,
    });
  });

  it('selects files by the last filter that matches', () => {
    expect(
      keysWith({
        assets: { Exclude: ['*'], Include: ['*.js'] },
        page: { Exclude: ['*'], Include: undefined },
      }),
    ).toEqual(['assets/app-1.js', 'assets/small-2.js']);
  });

  it('removes objects of earlier deployments that a pruning one selects but does not have', () => {
    const unfiltered = { Exclude: undefined, Include: undefined };
    const other = writePage();
    rmSync(`${other}/assets`, { recursive: true });
    const keysAfter = (properties: Record<string, unknown>) => {
      const options = {
        assets: unfiltered,
        page: { ...unfiltered, SourceObjectKeys: ['other.zip'], ...properties },
      };
      const sources = new Map([
        ['page.zip', page],
        ['other.zip', other],
      ]);
      const stack = createStackFixture(dashboardResources(options), sources);
      return [...(readDeployedObjects(stack, uploadedAt).get('fixture-bucket') ?? new Map()).keys()];
    };

    expect(keysAfter({ Prune: true })).toEqual(['index.html']);
    expect(keysAfter({ Prune: true, Exclude: ['assets/*'] })).toHaveLength(4);
    expect(keysAfter({ Prune: false })).toHaveLength(4);
    rmSync(other, { recursive: true });
  });

  it('adds the prefix of the deployment', () => {
    expect(keysWith({ page: { DestinationBucketKeyPrefix: 'v1' } })).toContain('v1/index.html');
    expect(keysWith({ page: { DestinationBucketKeyPrefix: '/' } })).toContain('index.html');
  });

  it.each([
    [{ SourceMarkers: [{}] }, 'UploadPage has SourceMarkers, which the local run does not emulate'],
    [{ SystemMetadata: { expires: '0' } }, 'UploadPage.SystemMetadata has expires'],
    [{ Exclude: ['[a-z]'] }, 'UploadPage: the local run supports only * and ? in Exclude and Include'],
    [
      { SourceObjectKeys: ['none.zip'] },
      'The source none.zip of UploadPage is not a directory in the assembly',
    ],
  ])('rejects %j', (properties, message) => {
    expect(() => contentWith({ page: properties })).toThrow(message);
  });
});
