import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '#dashboard/api/client.ts';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { LinkButton } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { checkEmailAddress, TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { isSameAddress } from '#lambdas/accounts/email-address.ts';
import { applyAccount } from './apply-account.ts';
import { checkCode, normalizeCode } from './verification-code.ts';

interface EmailDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  email: string;
  /** The change that has begun: the dialog asks for its code. */
  pendingEmail: string | null;
}

/** Changes the address in two steps: the new address, then the code that is sent to it. */
export function EmailDialog({ open, onOpenChange, email, pendingEmail }: EmailDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Change e-mail"
      description={
        <>
          You keep signing in with <strong className="font-medium text-text">{email}</strong> until the new
          address is verified.
        </>
      }
    >
      <Steps email={email} pendingEmail={pendingEmail} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

interface StepsProps {
  email: string;
  pendingEmail: string | null;
  onDone: () => void;
}

function Steps({ email, pendingEmail, onDone }: StepsProps) {
  const [newEmail, setNewEmail] = useState(pendingEmail);
  // The dialog itself focuses the field of the first step.
  const [isLaterStep, setLaterStep] = useState(false);
  const goTo = (address: string | null) => {
    setNewEmail(address);
    setLaterStep(true);
  };
  return newEmail === null ? (
    <AddressStep email={email} autoFocus={isLaterStep} onSent={goTo} onCancel={onDone} />
  ) : (
    <CodeStep newEmail={newEmail} autoFocus={isLaterStep} onBack={() => goTo(null)} onDone={onDone} />
  );
}

interface AddressStepProps {
  email: string;
  autoFocus: boolean;
  onSent: (newEmail: string) => void;
  onCancel: () => void;
}

function AddressStep({ email, autoFocus, onSent, onCancel }: AddressStepProps) {
  const queryClient = useQueryClient();
  const send = useMutation({
    mutationFn: (newEmail: string) => post('/account/email', { email: newEmail }),
    onSuccess: (_response, newEmail) => {
      void queryClient.invalidateQueries(accountQuery);
      onSent(newEmail);
    },
  });
  const check = (value: string) =>
    checkEmailAddress(value) ?? (isSameAddress(value.trim(), email) ? 'This is your address already' : null);

  return (
    <Form fields={['email']} error={send.error} onSubmit={(values) => send.mutateAsync(values.email.trim())}>
      <TextField
        label="New e-mail address"
        name="email"
        inputMode="email"
        autoComplete="email"
        placeholder="name@example.com"
        validate={check}
        autoFocus={autoFocus}
      />
      <FormActions onCancel={onCancel} pending={send.isPending}>
        Send code
      </FormActions>
    </Form>
  );
}

interface CodeStepProps {
  newEmail: string;
  autoFocus: boolean;
  onBack: () => void;
  onDone: () => void;
}

function CodeStep({ newEmail, autoFocus, onBack, onDone }: CodeStepProps) {
  const queryClient = useQueryClient();
  const verify = useMutation({
    mutationFn: (code: string) => post('/account/email/verification', { code }),
    onSuccess: (account) => {
      applyAccount(queryClient, account);
      notifySuccess(`Your address is now ${account.email}`);
      onDone();
    },
  });
  const resend = useMutation({
    mutationFn: () => post('/account/email', { email: newEmail }),
    onSuccess: () => notifySuccess(`A new code is on its way to ${newEmail}`),
  });

  return (
    <Form
      fields={['code']}
      error={verify.error ?? resend.error}
      onSubmit={(values) => verify.mutateAsync(normalizeCode(values.code))}
    >
      <TextField
        label="Code"
        description={
          <>
            We sent six digits to <strong className="font-medium text-text">{newEmail}</strong>.
          </>
        }
        name="code"
        look="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="000000"
        validate={checkCode}
        autoFocus={autoFocus}
      />
      <p className="mt-2 flex flex-wrap gap-x-4 text-[0.8125rem]">
        <LinkButton onClick={() => resend.mutateAsync()} disabled={resend.isPending}>
          Send a new code
        </LinkButton>
        <LinkButton onClick={onBack}>Use another address</LinkButton>
      </p>
      <FormActions onCancel={onDone} pending={verify.isPending}>
        Verify address
      </FormActions>
    </Form>
  );
}
