/** Checks that topics and buckets admit the services that use them: alarms, and the distribution. */
import { matchesPattern } from '#local/permissions/policies.ts';
import { referencedId } from '#local/template/template.ts';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import { policyStatements } from './policy-statements.ts';
import type { ResolvedTemplate } from './resolver.ts';
import { type Finding, resourcesOfType, type Template, visitObjects } from './template.ts';

interface Access {
  /** Property that names the resource. */
  path: string;
  principal: string;
  action: string;
  resource: string;
}

export function checkResourcePolicies(template: Template, resolved: ResolvedTemplate): Finding[] {
  const statements = policyStatements(template, resolved)
    .filter(({ kind }) => kind === 'resource')
    .map(({ statement }) => statement);
  const refused = [...alarmAccess(template, resolved), ...originAccess(template, resolved)].filter(
    (access) => !statements.some((statement) => allows(statement, access)),
  );
  // Many alarms publish to the same topic: the first one is named.
  const byResource = new Map(refused.reverse().map((access) => [access.resource, access]));
  return [...byResource.values()].map(
    ({ path, principal, action, resource }) =>
      `${path}: the policy of ${resource} does not allow ${action} to ${principal}: allow it`,
  );
}

function allows(statement: JsonObject, { principal, action, resource }: Access): boolean {
  return (
    statement.Effect === 'Allow' &&
    isObject(statement.Principal) &&
    asList(statement.Principal.Service).includes(principal) &&
    asList(statement.Action).some((pattern) => matchesPattern(String(pattern), action)) &&
    asList(statement.Resource).some((pattern) => matchesPattern(String(pattern), resource))
  );
}

/** A topic without a policy of its own admits alarms of its account. */
function alarmAccess(template: Template, { resolve }: ResolvedTemplate): Access[] {
  const restricted = resourcesOfType(template, 'AWS::SNS::TopicPolicy').flatMap(([, { Topics }]) =>
    asList(resolve(Topics)),
  );
  return resourcesOfType(template, 'AWS::CloudWatch::Alarm').flatMap(([logicalId, properties]) =>
    ['AlarmActions', 'InsufficientDataActions', 'OKActions'].flatMap((name) =>
      asList(resolve(properties[name]))
        .filter((topic) => restricted.includes(topic))
        .map((topic) => ({
          path: `${logicalId}.Properties.${name}`,
          principal: 'cloudwatch.amazonaws.com',
          action: 'sns:Publish',
          resource: String(topic),
        })),
    ),
  );
}

function originAccess(template: Template, { resolve }: ResolvedTemplate): Access[] {
  const accesses: Access[] = [];
  for (const [logicalId, properties] of resourcesOfType(template, 'AWS::CloudFront::Distribution')) {
    visitObjects(properties, `${logicalId}.Properties`, ({ DomainName, OriginAccessControlId }, path) => {
      const bucket = referencedId(DomainName);
      if (OriginAccessControlId === undefined || bucket === undefined) return;
      accesses.push({
        path: `${path}.DomainName`,
        principal: 'cloudfront.amazonaws.com',
        action: 's3:GetObject',
        resource: `${resolve({ 'Fn::GetAtt': [bucket, 'Arn'] })}/index.html`,
      });
    });
  }
  return accesses;
}
