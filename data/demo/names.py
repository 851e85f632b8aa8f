"""Given names and surnames of the invented authors, grouped by language, and the series in which their papers appear.

Many surnames are invented. Any resemblance to real people is coincidental.
"""

# ruff: noqa: RUF001 - letters of other languages are intended
GIVEN_AND_SURNAMES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = tuple(
    (tuple(given.split()), tuple(surnames.split()))
    for given, surnames in (
        (
            "Astrid Bjørn Signe Åsa Håkon Maiken Leif Tuva Jørgen Elsa Mårten Ylva Aino Øystein Þóra Saara",
            "Fjellmark Nordskov Åkerlind Søgaardsen Hólmsdal Brekkeland Lundemo Västerby Ravnholdt Kivelä Myrstad "
            "Ekhamn Skogvik Tjernlund Ødemark Sundqvall Halvorstad Järvelin Almgård Vikholm",
        ),
        (
            "Jürgen Ulrike Matthias Käthe Florian Annelies Götz Liesel Dirk Sabine Joost Marieke Björn Heike "
            "Lukas Änne",
            "Birkenau Hölzmann Grünfelder Rautenbach Möllinghoff Tannhofer Veldtkamp Kleefstra Steinbrück "
            "Oberländer Weißhaupt Dornseif Haberkorn Zwölfer Lindenthal Kreuzmühl Ahrendorf Wijnhout Brüggemeier "
            "Sperlich",
        ),
        (
            "Chloé Étienne Margaux Benoît Anaïs Rémi Solène Gaëtan Inès Lucien Océane Thibault Noémie Yannick "
            "Maëlle Cédric",
            "Beaurivage Clairvallon Dessanges Fontrouge Grandpré Lachênaie Montfaucon Noirterre Perrichet "
            "Rochebelle Saint-Aubry Tréguenec Vauxclair Delamarre Bréhaut Champlitte Guérinel Hautbois Jolivard "
            "Marchenoir",
        ),
        (
            "Lucía Íñigo Paloma Joaquín Begoña Álvaro Inês João Conceição Thiago Chiara Niccolò Ludovica Iván "
            "Marisol Andrés",
            "Valdeterra Montenegrín Peñarrubia Castañal Ribeirinho Gonçalinho Figueirão Camposanto Bellarosa "
            "D'Argento Fioravento Quintalba Salcedón Núñez-Arroyo Villaplana Torrealba Cerqueirão Montefalco "
            "Rossetani Zubimendía",
        ),
        (
            "Zofia Łukasz Bożena Kateřina Jiří Vojtěch Dragana Miloš Iveta Oksana Taras Ljubica Žarko Mateusz "
            "Svetlana Radek",
            "Dąbrowiecki Wiśniowski Krzemieńska Novotínek Hřebíček Šafránek Jelinčić Vukašinović Kovarđić "
            "Petrushenko Zelenkov Mlynarčik Ostrówka Dvořáček Baranyshyn Živkić Gołębiak Polonska Černohorsk "
            "Rudnytska",
        ),
        (
            "Haruka Kenji Yūto Mio Jiho Seoyeon Minjun Wei Lihua Xiuying Junjie Meiling Thảo Đức Linh Naoki",
            "Hoshikawa Minazuki Tsukigata Ōnuma Shirosawa Kurohane Paik Namgoong Seomun Ouyeong Zhenhai Lüshan "
            "Shangjin Fengmo Huolin Đặng-Vũ Phạmvinh Trầnlâm Kobayama Midorino",
        ),
        (
            "Aarav Meera Sanjana Vikram Lakshmi Rohan Ishita Farhan Nusrat Tariq Deepika Harish Kavya Imran "
            "Anjali Suresh",
            "Chandrapur Venkatesar Mukhopath Rahimullah Siddiqabad Banerwal Iyengode Jayasundar Gunawardi "
            "Thapaliwal Deshkar Kulkarnath Choudharan Ranganadu Hossainpur Malhotrin Perethra Nairveli Bhattaji "
            "Quresham",
        ),
        (
            "Oliver Harriet Declan Imogen Fergus Rosalind Callum Beatrix Angus Niamh Wesley Tabitha Graham Siân "
            "Jasper Maeve",
            "Ashgrove Thornbeck Pemberleigh Westlock Hathersedge O'Callan MacAuldie Fairholme Brackenby "
            "Silverstoke Holloway-Finch Kettlewood Ormskirke Penhallick Redmayne-Low Stanwyke Tilbrooke Uffington "
            "Wrexfield Yarborrow",
        ),
        (
            "Leyla Emre Yasemin Karim Noura Youssef Salma Çağlar Gülşen Tarek Hind Baran Samira Idris Şirin Anas",
            "Özgürel Yıldızhan Demirçay Karaağaçlı Benhaddou El-Mansari Haddadine Bouzarif Khourany Rahbarin "
            "Farshidi Şahinbey Alkhatun Zouhairi Gündoğar Tazekarim Abounasr Çelikdağ Masoudian Naderpur",
        ),
        (
            "Kwame Abena Chidi Ngozi Thabo Zanele Amara Kofi Wanjiru Otieno Fatou Mamadou Tendai Rutendo Adaeze Sékou",
            "Asantewood Boatengo Okonjide Nwachuku Mabuzana Ndlovane Kiprotel Wamburi Diallomé Traorine Chikwando "
            "Mutasara Adeyinka-Cole Eboumé Gyamfira Kamarane Njorogel Obiakor Sanogué Zuludube",
        ),
    )
)

# series name, its authors' regions, and its topics ("" means all topics)
SERIES: tuple[tuple[str, str, str], ...] = (
    ("Northgate Discussion Papers", "rich emerging", ""),
    ("Harrowfield School of Economics Working Papers", "rich", ""),
    ("Fjordbank Working Papers", "nordic", ""),
    ("Midnight Sun Economics Papers", "nordic", ""),
    ("Aurora Labour Notes", "nordic", "labour gender migration education health tax pensions"),
    ("Lindenhof Research Reports", "rich", ""),
    ("Institut Clairmont Cahiers d'économie", "rich", ""),
    ("Documentos de Trabajo Montelargo", "rich emerging", ""),
    ("Working Time Institute Discussion Papers", "rich nordic emerging", "labour gender migration education"),
    ("Two Rivers Development Papers", "emerging rich", "development farming education health politics"),
    ("Savannah Policy Research Series", "emerging", "development farming growth politics health migration"),
    ("Reserve Bank of Avalon Staff Papers", "rich nordic emerging", "monetary banking cycles assets"),
    ("Central Bank of Ruritania Occasional Studies", "rich emerging", "monetary banking cycles growth"),
    ("Bourse Quarter Finance Papers", "rich nordic", "assets banking pensions econometrics"),
    ("Green Harbour Environmental Economics Series", "rich nordic emerging", "climate energy farming"),
    ("Institute for Market Design Preprints", "rich", "competition innovation energy trade behaviour"),
    ("Goldfinch Laboratory Papers in Experimental Economics", "rich nordic", "behaviour gender politics"),
    ("Old Customs House Trade Papers", "rich emerging", "trade growth competition innovation"),
    ("Statistical Square Econometrics Papers", "rich nordic", "econometrics assets cycles"),
    ("Eastbridge University Department of Economics Papers", "rich emerging", ""),
    ("Lotus Lake Economics Papers", "emerging", ""),
    ("Public Purse Working Papers", "rich nordic", "tax pensions politics health"),
    ("Townscape Urban Studies Papers", "rich emerging", "housing migration climate"),
)
