import { expect, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { openOnce } from '../support/until-end.ts';

const FILE = { name: 'catatan.txt', mimeType: 'text/plain', buffer: Buffer.from('isi berkas') };

describeInBrowser('the uploads in Indonesian', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer, { TIME_ZONE: 'Asia/Jakarta' }));

  const open = (address: string) =>
    browser.visit(address, { locale: 'id-ID', viewport: { width: 360, height: 740 } });

  test('keep a file as long as chosen, and show its expiry', async () => {
    const page = await open(site.origin);
    expect(await page.getByLabel('Simpan selama').locator('option').allInnerTexts()).toEqual([
      '1 jam',
      '6 jam',
      '24 jam',
    ]);
    await page.getByLabel('Simpan selama').selectOption('6 jam');
    await page.setInputFiles('#file', FILE);
    await page.getByText('Selesai. Link siap disalin.').waitFor();
    expect(await page.locator('.expiry').innerText()).toMatch(/^dalam 6 jam, \d\d\.\d\d WIB$/u);
    await page.goto((await page.locator('a.page').textContent())!);
    expect(await page.locator('time').innerText()).toMatch(/^dalam 6 jam, \d\d\.\d\d WIB$/u);
  });

  test('stay in the chosen language at addresses that name none', async () => {
    const { url, deletion } = await site.upload('catatan.txt', 'isi');
    const page = await open(url);
    expect(await page.locator('html').getAttribute('lang')).toBe('id');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByText('Expires').waitFor();
    for (const address of [site.origin, deletion]) {
      await page.goto(address);
      await page.waitForURL(`${address}${address === site.origin ? '/' : ''}?lang=en`);
    }
    await page.getByRole('link', { name: 'Tayang' }).click();
    await page.getByRole('heading', { name: 'Upload files' }).waitFor();
    expect(page.url()).toBe(`${site.origin}/?lang=en`);
  });

  test('list what this browser uploaded on a later visit, delete it from there, and forget what has expired', async () => {
    const page = await open(site.origin);
    await page.setInputFiles('#file', FILE);
    const address = (await page.locator('.done:visible + details a.page').textContent())!;
    await page.evaluate(`(() => {
      const old = { name: 'lama.txt', page: '/x', deletion: '/y', expires: Date.now() - 1 };
      const uploads = JSON.parse(localStorage.getItem('tayang-uploads'));
      localStorage.setItem('tayang-uploads', JSON.stringify([old, ...uploads]));
    })()`);
    await page.reload();
    const list = page.getByRole('region', { name: 'Upload kamu' });
    await list.locator('summary').click();
    expect(await list.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['catatan.txt']);
    expect(await list.getByRole('link').first().getAttribute('href')).toBe(address);
    await list.getByRole('button', { name: 'Hapus', exact: true }).click();
    await list.getByRole('button', { name: 'Ya, hapus' }).press('Enter');
    await list.waitFor({ state: 'hidden' });
    expect((await fetch(address)).status).toBe(404);
    await page.reload();
    expect(await list.isVisible()).toBe(false);
  });

  test('share an address where the browser can', async () => {
    const page = await open(site.origin);
    await page.addInitScript('navigator.share = async ({ url }) => { window.shared = url; };');
    const { url } = await site.upload('catatan.txt', 'isi');
    await page.goto(url);
    await page.getByRole('button', { name: 'Bagikan' }).click();
    expect(await page.evaluate('window.shared')).toBe(url);
  });
});
