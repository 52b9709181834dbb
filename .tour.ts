import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { chromium } from '/work/wt/day/node_modules/playwright-core/index.mjs'
import { setScene } from '/work/wt/day/scripts/screenshots/scene.ts'
const axeSource = readFileSync('/work/wt/day/node_modules/axe-core/axe.min.js','utf8')
const OUT='/tmp/day-tour'; mkdirSync(OUT,{recursive:true})
const shown = await setScene()
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new','--no-sandbox','--disable-gpu','--no-first-run','--disable-background-networking'] })
try {
  const page = await browser.newPage({ colorScheme: 'light', reducedMotion: 'reduce', viewport: {width:1280,height:900} })
  await page.goto(shown.url)
  await page.screenshot({path:`${OUT}/login.png`})
  const axe = async (label: string) => {
    const s = await page.context().newCDPSession(page)
    await s.send('Runtime.evaluate',{expression: axeSource})
    const {result} = await s.send('Runtime.evaluate',{expression:`axe.run(document,{resultTypes:['violations'],rules:{'target-size':{enabled:true}}}).then(({violations})=>JSON.stringify(violations.map(v=>({id:v.id,impact:v.impact,nodes:v.nodes.map(n=>n.target.join(' ')+' :: '+n.html.slice(0,120))}))))`,awaitPromise:true,returnByValue:true})
    await s.detach()
    for (const v of JSON.parse(result.value)) { console.log(`AXE ${label} ${v.id} ${v.impact} x${v.nodes.length}`); for(const n of v.nodes.slice(0,4)) console.log('     '+n) }
  }
  await axe('login')
  writeFileSync(`${OUT}/login.html`, await page.content())
  await page.getByLabel('Access token').fill(shown.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.locator('main h1').waitFor()
  const views: [string,string][] = [['home','/#/'],['tasks','/#/tasks'],['names','/#/names'],['zone','/#/names/alice.chronym'],['lookup','/#/lookup/alice.chronym'],['identities',`/#/identities/${encodeURIComponent(shown.did)}`],['network','/#/network'],['events','/#/events'],['seed','/#/seed'],['tokens','/#/tokens'],['settings','/#/settings'],['docs','/docs'],['error','/errors/SVC-ZON-002']]
  for (const [name,path] of views) {
    await page.emulateMedia({colorScheme:'light'}); await page.setViewportSize({width:1280,height:900})
    await page.goto(shown.url+path); await delay(1500)
    writeFileSync(`${OUT}/${name}.html`, await page.content())
    for (const width of [1280,390]) for (const scheme of ['light','dark'] as const) {
      await page.emulateMedia({colorScheme:scheme}); await page.setViewportSize({width,height:900}); await delay(500)
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      if ((wide as number) > width) console.log(`WIDE ${name} ${width}: ${wide}`)
      await page.screenshot({path:`${OUT}/${name}-${width}-${scheme}.png`, fullPage: name!=='docs'})
      await axe(`${name} ${width} ${scheme}`)
    }
    const small = await page.evaluate(`[...document.querySelectorAll('a,button,input,select,summary,[role=button],[tabindex="0"]')].map(e=>[e,e.getBoundingClientRect()]).filter(([e,r])=>r.width>0&&(r.height<24||r.width<24)&&getComputedStyle(e).display!=='inline').map(([e,r])=>e.outerHTML.slice(0,90)+' '+Math.round(r.width)+'x'+Math.round(r.height)).slice(0,8)`)
    for (const each of small as string[]) console.log(`SMALL ${name} ${each}`)
  }
} finally { await browser.close(); await shown.stop() }
