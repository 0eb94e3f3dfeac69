import type { Log } from '#lambdas/platform/telemetry/log.ts';
import {
  type IsInvited,
  type Refusal,
  refusalOfFederatedSignUp,
  refusalOfPasswordSignIn,
  refusalOfSignUp,
  type SignUpSettings,
} from './rules.ts';

/** https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-sign-up.html */
interface TriggerEvent {
  triggerSource: string;
  request: { userAttributes: Readonly<Record<string, string | undefined>> };
}

const signInTrigger = 'PreAuthentication_Authentication';

/** Returns the event unchanged to allow the sign-up or sign-in; throws an error whose message Cognito shows. */
type TriggerHandler = <Event extends TriggerEvent>(event: Event) => Promise<Event>;

interface TriggerDependencies {
  settings: SignUpSettings;
  isInvited: IsInvited;
  log: Log;
}

export function createTriggerHandler({ log, ...rules }: TriggerDependencies): TriggerHandler {
  return async (event) => {
    const refusal = await refusalOf(event, rules);
    if (refusal === null) return event;
    const isSignIn = event.triggerSource === signInTrigger;
    log.info(isSignIn ? 'sign_in_refused' : 'sign_up_refused', {
      trigger: event.triggerSource,
      code: refusal.code,
    });
    throw new Error(refusal.message);
  };
}

async function refusalOf(
  { triggerSource, request }: TriggerEvent,
  { settings, isInvited }: Omit<TriggerDependencies, 'log'>,
): Promise<Refusal | null> {
  const { email = '', 'cognito:user_status': status } = request.userAttributes;
  switch (triggerSource) {
    case 'PreSignUp_SignUp':
      return refusalOfSignUp(email, settings, isInvited);
    case 'PreSignUp_ExternalProvider':
      return refusalOfFederatedSignUp(email, settings);
    case 'PreSignUp_AdminCreateUser':
      return null;
    case signInTrigger:
      return status === 'EXTERNAL_PROVIDER' ? null : refusalOfPasswordSignIn(email, settings);
    default:
      throw new Error(`The trigger ${triggerSource} is not supported`);
  }
}
