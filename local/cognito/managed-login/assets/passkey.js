/** Buttons that create or use a passkey. Their `data-` attributes name the URLs of the options and the result. */

for (const button of document.querySelectorAll('button[data-passkey]')) {
  button.addEventListener('click', () => handleClick(button));
}

async function handleClick(button) {
  const message = button.parentElement.querySelector('[data-passkey-error]');
  message.hidden = true;
  button.disabled = true;
  try {
    const { location } = await authenticate(button.dataset);
    window.location.assign(location);
  } catch (error) {
    message.textContent = describe(error);
    message.hidden = false;
  } finally {
    button.disabled = false;
  }
}

async function authenticate({ passkey, options, result }) {
  const json = await post(options, {});
  const credential =
    passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json),
        })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) });
  return post(result, credential.toJSON());
}

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(json.message);
  return json;
}

function describe(error) {
  if (error.name === 'NotAllowedError')
    return 'The passkey dialog was cancelled, or it timed out. Try again.';
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for your account.';
  return error.message;
}
