// Opens keys that the Transit engine of OpenBao or Vault locked, in any runtime.
export const openWith =
  (address, token) =>
  async (sealed, { signal }) => {
    const response = await fetch(`${address}/v1/transit/decrypt/local-production`, {
      method: 'POST',
      headers: { 'x-vault-token': token },
      body: JSON.stringify({ ciphertext: new TextDecoder().decode(sealed) }),
      signal,
    });
    if (!response.ok) throw new Error(`the key service answered ${response.status}`);
    const { data } = await response.json();
    return Uint8Array.from(atob(data.plaintext), (letter) => letter.charCodeAt(0));
  };
