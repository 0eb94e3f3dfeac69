import { type FakeAwsService, startFakeAwsService } from './fake-service.ts';

export const operatorArn = 'arn:aws:sts::111122223333:assumed-role/Operator/jane';

/** Responds to each call as to `GetCallerIdentity`. */
export function startFakeSts(): Promise<FakeAwsService> {
  return startFakeAwsService(() => ({
    body: `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
      <Arn>${operatorArn}</Arn><UserId>jane</UserId><Account>111122223333</Account>
      </GetCallerIdentityResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
  }));
}
