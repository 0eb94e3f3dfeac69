/** Origins of the distribution: buckets, and the gateway's REST API. */
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { resourcesOfType } from '../template/template.ts';
import { asArray, asObject, asString, type JsonObject, numberOr } from '../untyped-json.ts';

export type Origin =
  | { kind: 'bucket'; bucketName: string }
  /** `readTimeoutMs` limits the time to the first byte and between two packets. */
  | { kind: 'REST API'; readTimeoutMs: number };

type Stack = Pick<LocalStack, 'template' | 'resolve'>;

const supportedProperties = [
  'ConnectionAttempts',
  'ConnectionTimeout',
  'CustomOriginConfig',
  'DomainName',
  'Id',
  'OriginAccessControlId',
  'OriginPath',
  'S3OriginConfig',
];

const defaultReadTimeoutSeconds = 30;

/** `origins` are the resolved origins of the distribution. Returns them by id. */
export function readOrigins(origins: unknown, stack: Stack): Map<string, Origin> {
  return new Map(
    asArray(origins, 'Origins').map((value) => {
      const properties = asObject(value, 'Origins');
      const id = asString(properties.Id, 'Origins: Id');
      assertSupportedProperties(properties, supportedProperties, `The origin ${id}`);
      const isBucket = properties.S3OriginConfig !== undefined;
      return [id, isBucket ? readBucketOrigin(id, properties, stack) : readApiOrigin(id, properties, stack)];
    }),
  );
}

function readBucketOrigin(id: string, properties: JsonObject, { template, resolve }: Stack): Origin {
  const bucket = resourcesOfType(template, 'AWS::S3::Bucket').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'RegionalDomainName'] }) === properties.DomainName,
  );
  if (bucket === undefined || properties.OriginAccessControlId === undefined || properties.OriginPath) {
    throw new LocalGatewayError(
      `The origin ${id} must be a bucket of the template, with an origin access control and without an origin path`,
    );
  }
  return { kind: 'bucket', bucketName: String(resolve({ Ref: bucket.logicalId })) };
}

/** The local REST API has no stage in its paths, so the origin path must be the stage alone. */
function readApiOrigin(id: string, properties: JsonObject, { template, resolve }: Stack): Origin {
  const domainNames = resourcesOfType(template, 'AWS::ApiGateway::RestApi').map(({ logicalId }) =>
    resolve({ 'Fn::Sub': `\${${logicalId}}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}` }),
  );
  const stagePaths = resourcesOfType(template, 'AWS::ApiGateway::Stage').map(
    ({ properties: { StageName } }) => `/${StageName}`,
  );
  const custom = asObject(properties.CustomOriginConfig, `The CustomOriginConfig of the origin ${id}`);
  if (
    !domainNames.includes(properties.DomainName) ||
    !stagePaths.includes(String(properties.OriginPath)) ||
    custom.OriginProtocolPolicy !== 'https-only'
  ) {
    throw new LocalGatewayError(
      `The origin ${id} must be the REST API of the template over HTTPS, with its stage as the origin path`,
    );
  }
  const readTimeoutSeconds = numberOr(defaultReadTimeoutSeconds, custom.OriginReadTimeout, id);
  return { kind: 'REST API', readTimeoutMs: readTimeoutSeconds * 1000 };
}
