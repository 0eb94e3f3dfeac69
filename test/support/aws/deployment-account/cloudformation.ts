/** CloudFormation and STS, in the query protocol. Lists have pages of two, so that callers must ask for the next page. */

import { accountId, callerArn, type DeploymentAccount, type FakeStack } from './account.ts';
import { members, type ServiceResponse, xml, xmlProtocol } from './responses.ts';

const pageSize = 2;

export function respondToQuery(account: DeploymentAccount, query: URLSearchParams): ServiceResponse {
  const name = query.get('StackName') ?? '';
  const stack = account.stacks.find(
    ({ id, name: stackName, status }) => id === name || (stackName === name && status !== 'DELETE_COMPLETE'),
  );
  switch (query.get('Action')) {
    case 'GetCallerIdentity':
      return result('GetCallerIdentity', `<Arn>${callerArn}</Arn><Account>${accountId}</Account>`);
    case 'DescribeStacks':
      if (stack === undefined) return missing(name);
      return result('DescribeStacks', `<Stacks>${members([stackXml(stack)])}</Stacks>`);
    case 'ListStacks': {
      const statuses = [...query]
        .filter(([key]) => key.startsWith('StackStatusFilter'))
        .map(([, status]) => status);
      const stacks = account.stacks.filter(({ status }) => statuses.includes(status));
      return page(query, 'ListStacks', 'StackSummaries', stacks.map(stackXml));
    }
    case 'ListStackResources':
      if (stack === undefined) return missing(name);
      return page(query, 'ListStackResources', 'StackResourceSummaries', stack.resources.map(resourceXml));
    case 'DescribeStackResources':
      return describeOwner(account, query.get('PhysicalResourceId') ?? '');
    default:
      throw new Error(`Unsupported action ${query.get('Action')}`);
  }
}

function describeOwner(account: DeploymentAccount, physicalId: string): ServiceResponse {
  const owner = account.stacks.find(
    ({ status, resources }) =>
      status !== 'DELETE_COMPLETE' && resources.some((resource) => resource.physicalId === physicalId),
  );
  if (owner === undefined)
    return xmlProtocol.error({ code: 'ValidationError', message: `Stack for ${physicalId} does not exist` });
  const resources = owner.resources
    .slice(0, 100)
    .map(
      (resource) =>
        `${resourceXml(resource)}<StackId>${owner.id}</StackId><StackName>${owner.name}</StackName>`,
    );
  return result('DescribeStackResources', `<StackResources>${members(resources)}</StackResources>`);
}

function page(query: URLSearchParams, action: string, list: string, items: string[]): ServiceResponse {
  const start = Number(query.get('NextToken') ?? 0);
  const end = start + pageSize;
  const token = end < items.length ? `<NextToken>${end}</NextToken>` : '';
  return result(action, `<${list}>${members(items.slice(start, end))}</${list}>${token}`);
}

function stackXml({ id, name, status }: FakeStack): string {
  return `<StackId>${id}</StackId><StackName>${name}</StackName><StackStatus>${status}</StackStatus>
    <CreationTime>2026-01-01T00:00:00.000Z</CreationTime>`;
}

function resourceXml({ type, logicalId, physicalId, status }: FakeStack['resources'][number]): string {
  return `<ResourceType>${type}</ResourceType><LogicalResourceId>${logicalId}</LogicalResourceId>
    <PhysicalResourceId>${physicalId}</PhysicalResourceId><ResourceStatus>${status}</ResourceStatus>
    <LastUpdatedTimestamp>2026-01-01T00:00:00.000Z</LastUpdatedTimestamp>`;
}

function missing(name: string): ServiceResponse {
  return xmlProtocol.error({ code: 'ValidationError', message: `Stack with id ${name} does not exist` });
}

function result(action: string, body: string): ServiceResponse {
  return xml(`<${action}Response><${action}Result>${body}</${action}Result></${action}Response>`);
}
